package dev.cotenant.admission.inventory;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Snapshots in which GPUs without metrics are used by their grants alone. For any thread. */
public final class GrantedUsage {
  private @Nullable ClusterSnapshot plain;
  private @Nullable ClusterSnapshot withGrantedUsage;

  /** Whether a GPU has metrics. */
  public static boolean isMeasured(GpuSnapshot gpu) {
    return gpu.memory() instanceof MemoryObservation.Measured;
  }

  /** The GPU with zero used memory. */
  public static GpuSnapshot unused(GpuSnapshot gpu) {
    return gpu.withMemory(
        new MemoryObservation.Measured(
            MemorySize.ZERO, MemorySize.ZERO, Duration.ZERO, Duration.ZERO, List.of()));
  }

  /** The cluster with granted usage on GPUs without metrics. */
  @SuppressWarnings("ReferenceEquality") // snapshots are cached by identity
  public synchronized ClusterSnapshot withGrantedUsage(ClusterSnapshot cluster) {
    ClusterSnapshot known = withGrantedUsage;
    if (known == null || plain != cluster) {
      List<GpuSnapshot> unmeasured = new ArrayList<>();
      for (GpuSnapshot gpu : cluster.gpus()) {
        if (!isMeasured(gpu)) {
          unmeasured.add(unused(gpu));
        }
      }
      known = cluster.with(unmeasured);
      plain = cluster;
      withGrantedUsage = known;
    }
    return known;
  }

  /** Whether any GPU has no metrics. */
  @SuppressWarnings("ReferenceEquality") // an unchanged snapshot is the same object
  public boolean isPartlyUnmeasured(ClusterSnapshot cluster) {
    return withGrantedUsage(cluster) != cluster;
  }
}
