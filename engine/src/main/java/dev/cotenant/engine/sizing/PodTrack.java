package dev.cotenant.engine.sizing;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

/** Readings of one pod, chunk by chunk. */
final class PodTrack {
  private static final double PERCENT = 100;

  final Set<String> gpus = new HashSet<>();
  final Map<String, Double> requests = new HashMap<>();
  String product = "";
  String ownerKind = "";
  String ownerName = "";
  boolean reserves;
  long predicted;
  int shared;
  long lastSeen;

  private long[] times = new long[512];
  private double[] bytes = new double[512];
  private int size;

  /** Adds a stretch after the last one, the most of the pod's GPUs by time. */
  void add(SortedMap<Long, Double> stretch) {
    stretch.forEach((time, used) -> {
      if (size == times.length) {
        times = Arrays.copyOf(times, 2 * size);
        bytes = Arrays.copyOf(bytes, 2 * size);
      }
      if (size == 0 || times[size - 1] < time) {
        times[size] = time;
        bytes[size++] = used;
      }
    });
  }

  MemorySeries series() {
    List<MemorySample> samples = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      samples.add(
          new MemorySample(Instant.ofEpochMilli(times[i]), MemorySize.ofBytesRoundedUp(bytes[i])));
    }
    return new MemorySeries(samples);
  }

  /**
   * Bytes of each GPU that its resources ask for; the whole GPU where they name GPUs alone. NaN
   * without any of them.
   *
   * @param capacity of a GPU in bytes
   */
  double requested(double capacity) {
    double count = Math.max(1, gpus.size());
    double found =
        firstOf(
            amount("nvidia_com_gpumem", MemorySize.MIB),
            amount("volcano_sh_vgpu_memory", MemorySize.MIB),
            amount("aliyun_com_gpu_mem", MemorySize.GIB),
            amount("koordinator_sh_gpu_memory", 1 / count),
            amount("nvidia_com_gpumem_percentage", capacity / PERCENT),
            amount("volcano_sh_vgpu_memory_percentage", capacity / PERCENT),
            amount("koordinator_sh_gpu_memory_ratio", capacity / PERCENT / count),
            requests.containsKey("nvidia_com_gpu") ? capacity : Double.NaN);
    return Math.min(found, capacity);
  }

  private double amount(String resource, double unit) {
    double value = requests.getOrDefault(resource, Double.NaN);
    return value > 0 ? value * unit : Double.NaN;
  }

  private static double firstOf(double... values) {
    return Arrays.stream(values).filter(Double::isFinite).findFirst().orElse(Double.NaN);
  }
}
