package dev.cotenant.admission.gate;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Pods that wait for capacity, in the order of the queue, and what they keep from those behind
 * them.
 *
 * <p>A pod is passed when one behind it is granted a GPU that it could have used, were that free.
 * Passed as often as its policy allows, it keeps the GPUs that it could use for itself.
 */
final class BlockedPods {
  private final List<BlockedPod> all = new ArrayList<>();

  private record BlockedPod(TrackedPod pod, int maxSkips, Predicate<GpuSnapshot> couldUse) {
    boolean keepsItsCapacity() {
      return pod.skips >= maxSkips;
    }

    boolean couldUse(ClusterSnapshot cluster, Decision.Admitted admitted) {
      return admitted.grants().stream()
          .flatMap(grant -> cluster.find(grant.gpuUuid()).stream())
          .anyMatch(couldUse);
    }
  }

  /** One more, behind the others. */
  void add(TrackedPod pod, int maxSkips, Predicate<GpuSnapshot> couldUse) {
    all.add(new BlockedPod(pod, maxSkips, couldUse));
  }

  /** Whether a GPU is kept for one of them. */
  boolean keep(GpuSnapshot gpu) {
    return all.stream().anyMatch(w -> w.keepsItsCapacity() && w.couldUse().test(gpu));
  }

  /** The first for whom one of these GPUs is kept. */
  Optional<TrackedPod> firstInTheWay(ClusterSnapshot cluster, Decision.Admitted admitted) {
    return all.stream()
        .filter(waiter -> waiter.keepsItsCapacity() && waiter.couldUse(cluster, admitted))
        .map(BlockedPod::pod)
        .findFirst();
  }

  /** One behind all of them is granted these GPUs. */
  void skipped(ClusterSnapshot cluster, Decision.Admitted admitted) {
    for (BlockedPod waiter : all) {
      if (waiter.couldUse(cluster, admitted)) {
        waiter.pod().skips++;
      }
    }
  }
}
