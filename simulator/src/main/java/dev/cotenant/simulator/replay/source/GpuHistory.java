package dev.cotenant.simulator.replay.source;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceNames;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.forecast.prometheus.Samples;
import dev.cotenant.simulator.replay.source.SampleFaults.Fault;
import dev.cotenant.simulator.replay.source.Segment.Track;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What DCGM's exporter recorded: utilization and used memory of GPUs, by pod. */
final class GpuHistory {
  private static final int MAX_TRACKS = 200_000;

  /** More than any device has. */
  private static final double MAX_BYTES = 1L << 44;

  private final PodHistory pods;
  private final long longestGap;
  private final double bytesPerUnit;
  private final SampleFaults faults;
  private final SortedMap<String, Gpu> gpus = new TreeMap<>();
  private final Set<PodName> unexported = new HashSet<>();
  private boolean hasExported;
  private int tracks;

  /**
   * @param pods which part the samples of one name; read before samples of the same time
   * @param longestGap of the samples of one job, in ms
   * @param bytesPerUnit of sizes
   */
  GpuHistory(PodHistory pods, long longestGap, double bytesPerUnit, SampleFaults faults) {
    this.pods = pods;
    this.longestGap = longestGap;
    this.bytesPerUnit = bytesPerUnit;
    this.faults = faults;
  }

  /** Utilization in percent and used memory in bytes of a pod on a GPU. */
  record Use(Track utilization, Track used) {}

  /** A GPU. */
  static final class Gpu {
    final String uuid;
    final Map<PodName, Use> uses = new HashMap<>();
    String modelName = "";
    String node = "";
    boolean mig;
    double mostFree;
    double leastUsed = Double.MAX_VALUE;

    Gpu(String uuid) {
      this.uuid = uuid;
    }

    /** The product; used + free memory tell products of one name apart. */
    Optional<Device> product(DeviceNames names) {
      boolean measured = mostFree > 0 && leastUsed < Double.MAX_VALUE;
      MemorySize usable =
          measured ? MemorySize.ofBytesRoundedUp(mostFree + leastUsed) : MemorySize.ZERO;
      return names.find(modelName, usable);
    }
  }

  void utilization(Map<String, String> labels, Samples samples) {
    Use use = use(labels, samples);
    for (int i = 0; use != null && i < samples.size(); i++) {
      if (isUsable(samples, i, Utilization.FULL.percent())) {
        add(use.utilization(), samples.milliseconds(i), samples.value(i));
      }
    }
  }

  void used(Map<String, String> labels, Samples samples) {
    Use use = use(labels, samples);
    for (int i = 0; use != null && i < samples.size(); i++) {
      if (isUsable(samples, i, MAX_BYTES / bytesPerUnit)) {
        double bytes = samples.value(i) * bytesPerUnit;
        add(use.used(), samples.milliseconds(i), bytes);
        Gpu gpu = gpu(labels);
        gpu.leastUsed = Math.min(gpu.leastUsed, bytes);
      }
    }
  }

  void free(Map<String, String> labels, Samples samples) {
    if (use(labels, samples) == null) {
      return;
    }
    for (int i = 0; i < samples.size(); i++) {
      if (isUsable(samples, i, MAX_BYTES / bytesPerUnit)) {
        Gpu gpu = gpu(labels);
        gpu.mostFree = Math.max(gpu.mostFree, samples.value(i) * bytesPerUnit);
      }
    }
  }

  private void add(Track track, long at, double value) {
    if (!track.add(at, value)) {
      faults.count(Fault.REPEATED, 1);
    }
  }

  private boolean isUsable(Samples samples, int i, double most) {
    if (samples.milliseconds(i) > pods.latest()) {
      faults.count(Fault.FUTURE, 1);
      return false;
    }
    return faults.isUsable(samples.value(i), most);
  }

  private Gpu gpu(Map<String, String> labels) {
    return gpus.computeIfAbsent(labels.getOrDefault("UUID", ""), Gpu::new);
  }

  /** Null for a series of no GPU or of a MIG instance. */
  private @Nullable Use use(Map<String, String> labels, Samples samples) {
    if (labels.getOrDefault("UUID", "").isEmpty()) {
      faults.count(Fault.NAMELESS, samples.size());
      return null;
    }
    Gpu gpu = gpu(labels);
    gpu.modelName = labels.getOrDefault("modelName", gpu.modelName);
    String node = labels.getOrDefault("hostname", "");
    gpu.node = node.isEmpty() ? labels.getOrDefault("Hostname", gpu.node) : node;
    if (!labels.getOrDefault("GPU_I_ID", "").isEmpty()) {
      gpu.mig = true;
      return null;
    }
    PodName pod = PodName.of(labels);
    boolean isExported = !labels.getOrDefault("exported_pod", "").isEmpty();
    hasExported |= isExported;
    if (!isExported) {
      unexported.add(pod);
    }
    return gpu.uses.computeIfAbsent(pod, _ -> newUse(pod));
  }

  /**
   * Whether a name is a workload's. Where a scrape does not honour labels, series of idle GPUs have
   * the name of the exporter's own pod.
   */
  boolean isWorkload(PodName pod) {
    return pod.isKnown() && !(hasExported && unexported.contains(pod));
  }

  /** Whether used memory of any workload was recorded by its name. */
  boolean hasWorkloads() {
    return gpus.values().stream()
        .flatMap(gpu -> gpu.uses.entrySet().stream())
        .anyMatch(use -> isWorkload(use.getKey()) && !use.getValue().used().segments().isEmpty());
  }

  private Use newUse(PodName pod) {
    if (++tracks > MAX_TRACKS) {
      throw InputException.tooLarge(
          "too-many-series",
          "The server has more than "
              + MAX_TRACKS
              + " series of GPUs and pods in this time: shorten it or narrow the matchers.");
    }
    NavigableSet<Long> changes = pods.changes(pod);
    return new Use(new Track(longestGap, changes), new Track(longestGap, changes));
  }

  /** By UUID. */
  SortedMap<String, Gpu> gpus() {
    return gpus;
  }
}
