package dev.cotenant.placement;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.DeferredReasons;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.decision.SlowdownRisk;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.SummedUtilization;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Looks for one GPU to share: the best fit is taken, for a profiled service that in partitions.
 * Where none with neighbours is within the budgets of risk and trials are allowed, the best fit of
 * those that may be tried is.
 */
final class ShareDecision {
  /*
   * Idea: the best fit is the GPU that is busiest afterwards. The GPUs of each product lie in that
   * order, so the search starts where the limit of utilization is just held and goes towards the
   * idle; utilization, memory, tenants and slowdown are compared with figures made beforehand, and
   * only GPUs that pass get the full check against every limit. The first that fits is the best, save for GPUs
   * that are as busy to the last bit: of these the first by name. O(log n) where the busiest with
   * room will do; at worst every GPU is looked at, some nanoseconds each, unless the
   * interference model is opaque, so that those with neighbours are checked in full.
   */
  private final ShareCheck check;

  ShareDecision(ShareCheck check) {
    this.check = check;
  }

  /** Finds what decisions on these GPUs share. */
  void prepare(ClusterIndex cluster) {
    cluster.buckets().forEach(check::prepare);
  }

  Decision decide(Candidates candidates, PlacementRequest.Share request) {
    Candidate best = best(candidates, request, UnaryOperator.identity());
    boolean isAlone = best == null || best.fits().evidence().tenants() == 1;
    Candidate trial =
        isAlone && mayTry(candidates, request)
            ? best(candidates, request, Newcomer::exploring)
            : null;
    Candidate chosen = trial == null ? best : trial;
    if (chosen == null) {
      return refused(candidates, request);
    }
    ShareCheck.Result.Fits fits = chosen.fits();
    Grant grant = new Grant(fits.gpu().uuid(), fits.gpu().node(), fits.prediction());
    return new Decision.Admitted(List.of(grant), fits.evidence());
  }

  /** Whether trials are allowed and one more is not too many. */
  private static boolean mayTry(Candidates candidates, PlacementRequest.Share request) {
    for (Map.Entry<DeviceId, Prediction> predicted : request.predictions().entrySet()) {
      Newcomer newcomer = Newcomer.of(request, predicted.getKey(), predicted.getValue());
      if (mayTry(candidates, newcomer)) {
        return true;
      }
    }
    return false;
  }

  private static boolean mayTry(Candidates candidates, Newcomer newcomer) {
    RiskLimit.Exploration exploration = newcomer.limits().risk().exploration();
    return exploration.areAllowed()
        && candidates.cluster().trials().allow(newcomer.namespace(), exploration.share());
  }

  private @Nullable Candidate best(
      Candidates candidates, PlacementRequest.Share request, UnaryOperator<Newcomer> form) {
    Candidate best = null;
    for (Map.Entry<DeviceId, Prediction> predicted : request.predictions().entrySet()) {
      UtilizationBucket bucket = candidates.cluster().bucket(predicted.getKey()).orElse(null);
      if (bucket != null && !predicted.getValue().missesObjective()) {
        Newcomer newcomer =
            form.apply(Newcomer.of(request, predicted.getKey(), predicted.getValue()));
        if (!newcomer.isExploring() || mayTry(candidates, newcomer)) {
          best = better(best, new Search(candidates, newcomer).best(bucket, best));
        }
      }
    }
    return best;
  }

  private Decision refused(Candidates candidates, PlacementRequest.Share request) {
    Set<DeviceId> devices = request.predictions().keySet();
    if (devices.stream().noneMatch(device -> candidates.any(device, _ -> true))) {
      return new Decision.Denied(
          List.of(new Reason.NoCandidateGpu(candidates.count(), "none of them has a prediction")));
    }
    DeferredReasons reasons = new DeferredReasons(() -> reasons(candidates, request));
    boolean couldEverFit =
        request.predictions().entrySet().stream()
            .anyMatch(predicted ->
                new Search(
                        candidates, Newcomer.of(request, predicted.getKey(), predicted.getValue()))
                    .anyFitsWhenFree(predicted.getKey()));
    return couldEverFit ? new Decision.Held(reasons) : new Decision.Denied(reasons);
  }

  /** Risks that were learned since the decision may allow all GPUs. */
  private List<Reason> reasons(Candidates candidates, PlacementRequest.Share request) {
    List<Reason> reasons = new ArrayList<>();
    for (GpuSnapshot gpu : candidates.byName()) {
      DeviceId device = gpu.device().id();
      Prediction prediction = request.predictions().get(device);
      if (prediction != null
          && check.check(gpu, candidates.now(), Newcomer.of(request, device, prediction))
              instanceof ShareCheck.Result.DoesNotFit(List<Reason> why)) {
        reasons.addAll(why);
      }
    }
    return reasons.isEmpty()
        ? List.of(
            new Reason.NoCandidateGpu(
                candidates.count(), "the risks that refused them have been learned again"))
        : reasons;
  }

  /**
   * A GPU that fits.
   *
   * @param sharePercent taken by its tenants where shares count, percent; else 0
   */
  private record Candidate(ShareCheck.Result.Fits fits, int rank, double sharePercent) {
    SummedUtilization sum() {
      return fits.evidence().summedUtilization();
    }

    /** Partitions before all others, those with the largest shares first; then the busiest. */
    int compareWith(Candidate other) {
      int order = Double.compare(sharePercent, other.sharePercent);
      return order == 0 && sharePercent == 0 ? sum().compareTo(other.sum()) : order;
    }
  }

  private static @Nullable Candidate better(@Nullable Candidate best, @Nullable Candidate next) {
    if (best == null || next == null) {
      return best == null ? next : best;
    }
    int order = next.compareWith(best);
    return order > 0 || (order == 0 && next.rank() < best.rank()) ? next : best;
  }

  /** Search among the GPUs of a product. */
  private final class Search {
    private final Candidates candidates;
    private final Newcomer newcomer;

    Search(Candidates candidates, Newcomer newcomer) {
      this.candidates = candidates;
      this.newcomer = newcomer;
    }

    /**
     * The best of a bucket.
     *
     * @param other already found; null where there is none, else only GPUs that are at least as
     *     busy count
     */
    @Nullable Candidate best(UtilizationBucket bucket, @Nullable Candidate other) {
      Prefilter prefilter = check.prefilter(bucket, newcomer);
      Candidate inPartition = inPartition(bucket, prefilter);
      if (inPartition != null || (other != null && other.sharePercent() > 0)) {
        return inPartition;
      }
      double own = newcomer.prediction().utilization().upper().percent();
      Candidate best = null;
      int end = other == null ? bucket.size() : bucket.firstBelow(other.sum().percent(), own);
      for (int place = prefilter.next(0, end);
          place < end;
          place = prefilter.next(place + 1, end)) {
        IndexedGpu gpu = bucket.get(place);
        boolean laterOfEquals = best != null && best.rank() < gpu.rank();
        Candidate found = laterOfEquals ? null : fitting(gpu, 0);
        if (found != null) {
          best = better(best, found);
          end = bucket.firstBelow(found.sum().percent(), own);
        }
      }
      return best;
    }

    /** The GPU with the largest summed shares among those whose tenants are all in partitions. */
    private @Nullable Candidate inPartition(UtilizationBucket bucket, Prefilter prefilter) {
      if (!prefilter.countsShares()) {
        return null;
      }
      UtilizationBucket.Partitioned gpus = bucket.partitioned();
      for (int place = prefilter.nextPartitioned(0);
          place < gpus.size();
          place = prefilter.nextPartitioned(place + 1)) {
        IndexedGpu gpu = gpus.get(place);
        Candidate found = fitting(gpu, gpu.sharePercent());
        if (found != null) {
          return found;
        }
      }
      return null;
    }

    private @Nullable Candidate fitting(IndexedGpu gpu, double sharePercent) {
      return candidates.include(gpu.gpu())
              && check.check(gpu.gpu(), candidates.now(), newcomer)
                  instanceof ShareCheck.Result.Fits fits
              && (!newcomer.isExploring() || isBeyondBudget(fits))
          ? new Candidate(fits, gpu.rank(), sharePercent)
          : null;
    }

    /** Only GPUs beyond the risk budget need a trial. */
    private boolean isBeyondBudget(ShareCheck.Result.Fits fits) {
      SlowdownRisk risk = fits.evidence().risk();
      return risk != null && risk.isExceeded();
    }

    /** Whether the workload would fit on one of them if no other workload were there. */
    boolean anyFitsWhenFree(DeviceId device) {
      Prediction prediction = newcomer.prediction();
      SharingLimits limits = newcomer.limits();
      SummedUtilization alone = SummedUtilization.ZERO.plus(prediction.utilization().upper());
      MemorySize needed = prediction.peakMemory().upper();
      return !prediction.missesObjective()
          && alone.compareTo(limits.summedUtilization()) <= 0
          && candidates.any(
              device,
              gpu ->
                  !(gpu.tenancy() instanceof Tenancy.Mig)
                      && needed.isAtMost(ShareCheck.memoryLimit(gpu.capacity(), limits)));
    }
  }
}
