package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Gated pods without capacity, in queue order, and the GPUs that are reserved for them.
 *
 * <p>A grant of a GPU that an earlier pod could use if free is a skip of that pod. After {@code
 * maxSkips} skips the GPUs that the pod could use are reserved for it.
 */
final class BlockedPods {
  private final List<BlockedPod> all = new ArrayList<>();

  private record BlockedPod(TrackedPod pod, int maxSkips, Predicate<GpuSnapshot> couldUse) {
    boolean hasReservedGpus() {
      return pod.waiting().skips() >= maxSkips;
    }

    boolean couldUse(ClusterSnapshot cluster, Decision.Admitted admitted) {
      return admitted.grants().stream()
          .flatMap(grant -> cluster.find(grant.gpuUuid()).stream())
          .anyMatch(couldUse);
    }
  }

  void add(TrackedPod pod, int maxSkips, Predicate<GpuSnapshot> couldUse) {
    all.add(new BlockedPod(pod, maxSkips, couldUse));
  }

  /** Whether a GPU is reserved for a blocked pod. */
  boolean isReserved(GpuSnapshot gpu) {
    return all.stream()
        .anyMatch(blocked -> blocked.hasReservedGpus() && blocked.couldUse().test(gpu));
  }

  /** The first pod for which one of the granted GPUs is reserved. */
  Optional<TrackedPod> firstBlocking(ClusterSnapshot cluster, Decision.Admitted admitted) {
    return all.stream()
        .filter(blocked -> blocked.hasReservedGpus() && blocked.couldUse(cluster, admitted))
        .map(BlockedPod::pod)
        .findFirst();
  }

  /** Counts a skip of every pod that could use one of the granted GPUs. */
  void skipped(ClusterSnapshot cluster, Decision.Admitted admitted) {
    for (BlockedPod blocked : all) {
      if (blocked.couldUse(cluster, admitted)) {
        blocked.pod().waiting().skip();
      }
    }
  }
}
