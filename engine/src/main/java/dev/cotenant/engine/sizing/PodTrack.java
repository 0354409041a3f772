package dev.cotenant.engine.sizing;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.MemoryResource;
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
   * @param resources that request memory, the first that it has counts
   */
  double requested(double capacity, List<MemoryResource> resources) {
    int count = Math.max(1, gpus.size());
    double found =
        resources.stream()
            .mapToDouble(one -> one.bytes(amount(one), capacity, count))
            .filter(bytes -> bytes > 0 && Double.isFinite(bytes))
            .findFirst()
            .orElse(requests.containsKey(UsageQueries.WHOLE_GPUS) ? capacity : Double.NaN);
    return Math.min(found, capacity);
  }

  private double amount(MemoryResource resource) {
    return requests.getOrDefault(UsageQueries.label(resource), Double.NaN);
  }
}
