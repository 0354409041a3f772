package dev.cotenant.admission.decision;

import dev.cotenant.admission.pod.DeclaredMemory;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.DeferredReasons;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause.NotShareable;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.placement.SharingDecider;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The rules of a pod's placement beyond the placement request. Pure; the same for every mode. */
public final class PodPlacement {
  private final SharingDecider decider;

  public PodPlacement(SharingDecider decider) {
    this.decider = decider;
  }

  /**
   * Decides on a cluster with all grants counted.
   *
   * <p>A share's memory is part of its prediction; a whole GPU must be as large as the declared
   * memory. Where no share is admitted, a whole GPU of a product without predictions is. A pod
   * whose model's description is being read waits for it.
   *
   * @param among eligible GPUs; null for all
   */
  public Decision decide(
      ClusterSnapshot cluster,
      Colocatable pod,
      PlacementRequest request,
      @Nullable Predicate<GpuSnapshot> among) {
    if (request instanceof PlacementRequest.Whole whole
        && whole.because() instanceof ExclusiveCause.ModelUnknown unknown
        && unknown.isPending()) {
      return new Decision.Held(List.of(unknown.reason()));
    }
    Decision decision = decideOnce(cluster, pod, request, among);
    if (decision instanceof Decision.Admitted
        || !(request instanceof PlacementRequest.Share share)
        || share.predictions().keySet().containsAll(cluster.devices())) {
      return decision;
    }
    Predicate<GpuSnapshot> unlisted = gpu -> !share.predictions().containsKey(gpu.device().id());
    return orElse(
        decision,
        decideOnce(
            cluster,
            pod,
            whole(share, new NotShareable("the catalogue does not list its product")),
            among == null ? unlisted : among.and(unlisted)));
  }

  /** The request of one whole GPU in place of a share. */
  public static PlacementRequest whole(PlacementRequest.Share share, ExclusiveCause because) {
    return new PlacementRequest.Whole(share.workload(), 1, because, share.predictions());
  }

  /**
   * The second decision where it admits, else the refusal with the reasons of both; of the first
   * alone where the second had no GPU to decide about.
   */
  public static Decision orElse(Decision refused, Decision decision) {
    if (decision instanceof Decision.Admitted) {
      return decision;
    }
    List<Reason> before = refused.reasons();
    List<Reason> now = decision.reasons();
    List<Reason> all =
        new DeferredReasons(() ->
            isOfNoGpu(now)
                ? before
                : Stream.concat(now.stream(), before.stream()).distinct().toList());
    return refused instanceof Decision.Denied && decision instanceof Decision.Denied
        ? new Decision.Denied(all)
        : new Decision.Held(all);
  }

  /** Whether these reasons say no more than that no GPU was eligible. */
  public static boolean isOfNoGpu(List<Reason> reasons) {
    return reasons.getFirst() instanceof Reason.NoCandidateGpu none && none.gpusInCluster() == 0;
  }

  private Decision decideOnce(
      ClusterSnapshot cluster,
      Colocatable pod,
      PlacementRequest request,
      @Nullable Predicate<GpuSnapshot> among) {
    @Nullable DeclaredMemory declared = pod.declaredMemory().orElse(null);
    if (request instanceof PlacementRequest.Whole && declared != null) {
      return decideWhole(cluster, declared, request, among == null ? gpu -> true : among);
    }
    return among == null
        ? decider.decide(cluster, request)
        : decider.decide(cluster, request, among);
  }

  private Decision decideWhole(
      ClusterSnapshot cluster,
      DeclaredMemory declared,
      PlacementRequest request,
      Predicate<GpuSnapshot> among) {
    Predicate<GpuSnapshot> largeEnough = gpu -> isLargeEnough(gpu, declared);
    boolean tooSmall =
        cluster.gpus().stream().anyMatch(among)
            && cluster.gpus().stream().noneMatch(among.and(largeEnough));
    return tooSmall
        ? new Decision.Denied(
            List.of(
                new Reason.NoCandidateGpu(
                    cluster.gpus().size(),
                    tooLarge(declared, cluster.gpus().stream().filter(among)))))
        : decider.decide(cluster, request, among.and(largeEnough));
  }

  /** The declared memory beside the largest of these GPUs. */
  static String tooLarge(DeclaredMemory declared, Stream<GpuSnapshot> gpus) {
    MemorySize largest =
        gpus.map(GpuSnapshot::capacity).max(Comparator.naturalOrder()).orElseThrow();
    return "the pod declares " + declared.on(largest) + " of memory, the largest has " + largest;
  }

  /** Whether a GPU has the declared memory. */
  public static boolean isLargeEnough(GpuSnapshot gpu, DeclaredMemory declared) {
    return declared.on(gpu.capacity()).isAtMost(gpu.capacity());
  }
}
