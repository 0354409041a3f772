package dev.cotenant.placement;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.device.DeviceId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Candidate GPUs of a decision; all other GPUs are ignored. */
final class Candidates {
  private final ClusterIndex cluster;
  private final @Nullable Predicate<GpuSnapshot> among;

  private Candidates(ClusterIndex cluster, @Nullable Predicate<GpuSnapshot> among) {
    this.cluster = cluster;
    this.among = among;
  }

  static Candidates all(ClusterIndex cluster) {
    return new Candidates(cluster, null);
  }

  static Candidates among(ClusterIndex cluster, Predicate<GpuSnapshot> among) {
    return new Candidates(cluster, among);
  }

  /** Those of these products. */
  Candidates of(Set<DeviceId> devices) {
    return new Candidates(cluster, gpu -> devices.contains(gpu.device().id()) && include(gpu));
  }

  ClusterIndex cluster() {
    return cluster;
  }

  Instant now() {
    return cluster.now();
  }

  boolean include(GpuSnapshot gpu) {
    Predicate<GpuSnapshot> restriction = among;
    return restriction == null || restriction.test(gpu);
  }

  /** All of them by node and uuid. */
  List<GpuSnapshot> byName() {
    List<GpuSnapshot> gpus = new ArrayList<>();
    for (GpuSnapshot gpu : cluster.byName()) {
      if (include(gpu)) {
        gpus.add(gpu);
      }
    }
    return gpus;
  }

  /** How many there are. */
  int count() {
    return among == null ? cluster.size() : byName().size();
  }

  /** Whether any candidate of this product satisfies the predicate. */
  boolean any(DeviceId device, Predicate<GpuSnapshot> holds) {
    Optional<UtilizationBucket> bucket = cluster.bucket(device);
    return bucket.isPresent() && bucket.get().any(gpu -> include(gpu) && holds.test(gpu));
  }
}
