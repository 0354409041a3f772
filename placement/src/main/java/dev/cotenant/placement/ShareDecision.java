package dev.cotenant.placement;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.SummedUtilization;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks for one GPU to share: every candidate is checked, the best fit is taken. */
final class ShareDecision {
  private final ShareCheck check;

  ShareDecision(ShareCheck check) {
    this.check = check;
  }

  Decision decide(ClusterSnapshot snapshot, PlacementRequest.Share request) {
    List<Reason> reasons = new ArrayList<>();
    ShareCheck.Result.@Nullable Fits best = null;
    boolean couldEverFit = false;
    for (GpuSnapshot gpu : GpuOrder.sorted(snapshot)) {
      Prediction prediction = request.predictions().get(gpu.device().id());
      if (prediction == null) {
        continue;
      }
      couldEverFit |= fitsWhenFree(gpu, prediction, request);
      switch (check.check(gpu, snapshot.takenAt(), prediction, request.limits())) {
        case ShareCheck.Result.Fits fits -> best = better(best, fits);
        case ShareCheck.Result.DoesNotFit(List<Reason> why) -> reasons.addAll(why);
      }
    }
    if (best != null) {
      Grant grant = new Grant(best.gpu().uuid(), best.gpu().node(), best.prediction());
      return new Decision.Admitted(List.of(grant), best.evidence());
    }
    return refuse(snapshot, reasons, couldEverFit);
  }

  private static Decision refuse(
      ClusterSnapshot snapshot, List<Reason> reasons, boolean couldEverFit) {
    if (reasons.isEmpty()) {
      return new Decision.Denied(
          List.of(
              new Reason.NoCandidateGpu(
                  snapshot.gpus().size(), "there is a prediction for none of them")));
    }
    return couldEverFit ? new Decision.Held(reasons) : new Decision.Denied(reasons);
  }

  private static ShareCheck.Result.Fits better(
      ShareCheck.Result.@Nullable Fits best, ShareCheck.Result.Fits next) {
    return best == null || sum(next).compareTo(sum(best)) > 0 ? next : best;
  }

  private static SummedUtilization sum(ShareCheck.Result.Fits fits) {
    return fits.evidence().summedUtilization();
  }

  /** Whether the workload would fit if nobody else were on the GPU. */
  private static boolean fitsWhenFree(
      GpuSnapshot gpu, Prediction prediction, PlacementRequest.Share request) {
    MemorySize limit = ShareCheck.memoryLimit(gpu, request.limits());
    SummedUtilization alone = SummedUtilization.ZERO.plus(prediction.utilization().upper());
    return !(gpu.tenancy() instanceof Tenancy.Mig)
        && prediction.peakMemory().upper().isAtMost(limit)
        && alone.compareTo(request.limits().summedUtilization()) <= 0;
  }
}
