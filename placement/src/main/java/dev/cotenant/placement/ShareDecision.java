package dev.cotenant.placement;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.DeferredReasons;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.SummedUtilization;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Looks for one GPU to share: the best fit is taken. */
final class ShareDecision {
  /*
   * Idea: the best fit is the GPU that is busiest afterwards. The GPUs of each product lie in that
   * order, so the search starts where the limit of utilization is just held and goes towards the
   * idle; utilization, memory, tenants and, where nothing but utilization is known, slowdown are
   * compared with figures made beforehand, and only who passes is held against every limit. The
   * first that fits is the best, save for GPUs that are as busy to the last bit: of these the first
   * by name. O(log n) where the busiest with room will do; at worst every GPU is looked at, and
   * those are checked in full that fail by the slowdown of known graphs alone.
   */
  private final ShareCheck check;

  ShareDecision(ShareCheck check) {
    this.check = check;
  }

  Decision decide(ClusterIndex cluster, PlacementRequest.Share request) {
    Candidate best = null;
    int gpus = 0;
    boolean couldEverFit = false;
    for (Map.Entry<DeviceId, Prediction> predicted : request.predictions().entrySet()) {
      Shelf shelf = cluster.shelf(predicted.getKey()).orElse(null);
      if (shelf != null) {
        Search search =
            new Search(
                cluster, shelf, predicted.getValue(), request.limits().on(predicted.getKey()));
        gpus += shelf.size();
        couldEverFit |= search.fitsWhenFree();
        best = better(best, search.best());
      }
    }
    if (best != null) {
      ShareCheck.Result.Fits fits = best.fits();
      Grant grant = new Grant(fits.gpu().uuid(), fits.gpu().node(), fits.prediction());
      return new Decision.Admitted(List.of(grant), fits.evidence());
    }
    if (gpus == 0) {
      return new Decision.Denied(
          List.of(
              new Reason.NoCandidateGpu(cluster.size(), "there is a prediction for none of them")));
    }
    DeferredReasons reasons = new DeferredReasons(() -> reasons(cluster, request));
    return couldEverFit ? new Decision.Held(reasons) : new Decision.Denied(reasons);
  }

  private List<Reason> reasons(ClusterIndex cluster, PlacementRequest.Share request) {
    List<Reason> reasons = new ArrayList<>();
    for (GpuSnapshot gpu : cluster.byName()) {
      Prediction prediction = request.predictions().get(gpu.device().id());
      if (prediction != null
          && check.check(gpu, cluster.now(), prediction, request.limits().on(gpu.device().id()))
              instanceof ShareCheck.Result.DoesNotFit(List<Reason> why)) {
        reasons.addAll(why);
      }
    }
    return reasons;
  }

  private record Candidate(ShareCheck.Result.Fits fits, int rank) {
    SummedUtilization sum() {
      return fits.evidence().summedUtilization();
    }
  }

  private static @Nullable Candidate better(@Nullable Candidate best, @Nullable Candidate next) {
    if (best == null || next == null) {
      return best == null ? next : best;
    }
    int order = next.sum().compareTo(best.sum());
    return order > 0 || (order == 0 && next.rank() < best.rank()) ? next : best;
  }

  /** Among the GPUs of one product. */
  private final class Search {
    private final ClusterIndex cluster;
    private final Shelf shelf;
    private final Prediction prediction;
    private final SharingLimits limits;

    Search(ClusterIndex cluster, Shelf shelf, Prediction prediction, SharingLimits limits) {
      this.cluster = cluster;
      this.shelf = shelf;
      this.prediction = prediction;
      this.limits = limits;
    }

    @Nullable Candidate best() {
      double own = prediction.utilization().upper().percent();
      Candidate best = null;
      int place = shelf.firstWithin(limits.summedUtilization().percent(), own);
      for (; place < shelf.size(); place++) {
        IndexedGpu gpu = shelf.get(place);
        if (best != null && gpu.busyPercent() + own < best.sum().percent()) {
          return best;
        }
        if (check.mayFit(gpu, prediction, limits)
            && check.check(gpu.gpu(), cluster.now(), prediction, limits)
                instanceof ShareCheck.Result.Fits fits) {
          best = better(best, new Candidate(fits, gpu.rank()));
        }
      }
      return best;
    }

    /** Whether the workload would fit on some GPU if nobody else were there. */
    boolean fitsWhenFree() {
      MemorySize limit = ShareCheck.memoryLimit(shelf.largest(), limits);
      SummedUtilization alone = SummedUtilization.ZERO.plus(prediction.utilization().upper());
      return !shelf.largest().equals(MemorySize.ZERO)
          && prediction.peakMemory().upper().isAtMost(limit)
          && alone.compareTo(limits.summedUtilization()) <= 0;
    }
  }
}
