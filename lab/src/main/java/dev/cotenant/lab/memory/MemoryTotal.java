package dev.cotenant.lab.memory;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.lab.memory.MemoryGpu.Resident;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;

/** Totals of one policy over all its GPUs. */
final class MemoryTotal {
  private static final double SECONDS_PER_HOUR = 3600;

  private final double hoursAStep;
  private final MemorySize capacity;
  private long pods;
  private long joined;
  private long broken;
  private long harmed;
  private long podSteps;
  private long gpuSteps;
  private long overfullSteps;

  MemoryTotal(Duration step, MemorySize capacity) {
    hoursAStep = step.toSeconds() / SECONDS_PER_HOUR;
    this.capacity = capacity;
  }

  void add(MemoryGpu gpu) {
    int end = gpu.residents().stream().mapToInt(Resident::end).max().orElse(0);
    Set<Resident> onOverfull = new HashSet<>();
    for (int step = gpu.opened(); step < end; step++) {
      List<Resident> there = gpu.at(step);
      podSteps += there.size();
      gpuSteps += there.isEmpty() ? 0 : 1;
      if (gpu.usedBytes(step) > capacity.bytes()) {
        overfullSteps++;
        onOverfull.addAll(there);
      }
    }
    pods += gpu.residents().size();
    harmed += onOverfull.size();
    for (Resident resident : gpu.residents()) {
      boolean joinedOthers =
          gpu.at(resident.arrived()).stream().anyMatch(other -> isBefore(gpu, other, resident));
      joined += joinedOthers ? 1 : 0;
      broken += joinedOthers && onOverfull.contains(resident) ? 1 : 0;
    }
  }

  private static boolean isBefore(MemoryGpu gpu, Resident one, Resident other) {
    return gpu.residents().indexOf(one) < gpu.residents().indexOf(other);
  }

  /** How many pods ran on a GPU in use, on average over time. */
  double podsPerGpu() {
    return gpuSteps == 0 ? 0 : (double) podSteps / gpuSteps;
  }

  SequencedMap<String, Double> figures(double oraclePodsPerGpu) {
    SequencedMap<String, Double> figures = new LinkedHashMap<>();
    figures.put("pods", (double) pods);
    figures.put("gpu_hours", gpuSteps * hoursAStep);
    figures.put("jobs_per_gpu", podsPerGpu());
    figures.put("oracle_density_percent", 100.0 * podsPerGpu() / oraclePodsPerGpu);
    figures.put("joined_pods", (double) joined);
    figures.put("broke_memory", (double) broken);
    figures.put("harmed_pods_percent", 100.0 * harmed / pods);
    figures.put("overfull_time_percent", 100.0 * overfullSteps / Math.max(1, gpuSteps));
    return figures;
  }
}
