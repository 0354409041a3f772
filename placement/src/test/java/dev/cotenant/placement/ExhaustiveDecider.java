package dev.cotenant.placement;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.decision.SlowdownBasis;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.interference.InterferenceModel;
import dev.cotenant.interference.risk.RiskModels;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides without an index: every GPU is checked in the order of names, all reasons are written.
 */
final class ExhaustiveDecider {
  private static final Comparator<ShareCheck.Result.Fits> BEST_FIT =
      Comparator.comparingDouble(ExhaustiveDecider::takenShares)
          .thenComparing(fits -> takenShares(fits) > 0 ? SummedUtilization.ZERO : sum(fits));

  private final ShareCheck check;

  /** Trials are counted among all GPUs. */
  private ClusterSnapshot whole = new ClusterSnapshot(Instant.EPOCH, List.of());

  ExhaustiveDecider(InterferenceModel interference) {
    this(interference, RiskModels.UNTRAINED);
  }

  ExhaustiveDecider(InterferenceModel interference, RiskModels risks) {
    check = new ShareCheck(interference, risks);
  }

  Decision decide(ClusterSnapshot snapshot, PlacementRequest request) {
    whole = snapshot;
    return among(snapshot, request);
  }

  private Decision among(ClusterSnapshot snapshot, PlacementRequest request) {
    return switch (request) {
      case PlacementRequest.Share requested -> trusting(snapshot, Trust.split(requested));
      case PlacementRequest.Whole requested -> whole(snapshot, requested);
    };
  }

  /** As if the cluster had no other GPUs than these. */
  Decision decide(
      ClusterSnapshot snapshot, PlacementRequest request, Predicate<GpuSnapshot> among) {
    whole = snapshot;
    return among(only(snapshot, among), request);
  }

  private Decision trusting(ClusterSnapshot snapshot, Trust requested) {
    PlacementRequest.Whole alone = requested.alone();
    if (alone == null) {
      return share(snapshot, requested.shared());
    }
    Set<DeviceId> devices = alone.predictions().keySet();
    Decision aside = whole(only(snapshot, gpu -> devices.contains(gpu.device().id())), alone);
    if (requested.shared().predictions().isEmpty()) {
      return aside;
    }
    Decision shared = share(snapshot, requested.shared());
    if (shared instanceof Decision.Admitted || aside instanceof Decision.Admitted) {
      return shared instanceof Decision.Admitted ? shared : aside;
    }
    List<Reason> reasons = new ArrayList<>(Decisions.reasons(shared));
    reasons.addAll(Decisions.reasons(aside));
    return shared instanceof Decision.Held || aside instanceof Decision.Held
        ? new Decision.Held(reasons)
        : new Decision.Denied(reasons);
  }

  private static ClusterSnapshot only(ClusterSnapshot snapshot, Predicate<GpuSnapshot> among) {
    return new ClusterSnapshot(snapshot.takenAt(), snapshot.gpus().stream().filter(among).toList());
  }

  private static List<GpuSnapshot> sorted(ClusterSnapshot snapshot) {
    return snapshot.gpus().stream()
        .sorted(Comparator.comparing(GpuSnapshot::node).thenComparing(GpuSnapshot::uuid))
        .toList();
  }

  private Decision share(ClusterSnapshot snapshot, PlacementRequest.Share request) {
    List<Reason> reasons = new ArrayList<>();
    ShareCheck.Result.@Nullable Fits best = null;
    boolean couldEverFit = false;
    for (GpuSnapshot gpu : sorted(snapshot)) {
      Prediction prediction = request.predictions().get(gpu.device().id());
      if (prediction == null) {
        continue;
      }
      couldEverFit |= fitsWhenFree(gpu, prediction, request.limits().on(gpu.device().id()));
      switch (check.check(
          gpu, snapshot.takenAt(), Newcomer.of(request, gpu.device().id(), prediction))) {
        case ShareCheck.Result.Fits fits -> best = better(best, fits);
        case ShareCheck.Result.DoesNotFit(List<Reason> why) -> reasons.addAll(why);
      }
    }
    if (best == null || best.evidence().tenants() == 1) {
      ShareCheck.Result.Fits trial = trial(snapshot, request);
      best = trial == null ? best : trial;
    }
    if (best != null) {
      Grant grant = new Grant(best.gpu().uuid(), best.gpu().node(), best.prediction());
      return new Decision.Admitted(List.of(grant), best.evidence());
    }
    if (reasons.isEmpty()) {
      return new Decision.Denied(
          List.of(
              new Reason.NoCandidateGpu(snapshot.gpus().size(), "none of them has a prediction")));
    }
    return couldEverFit ? new Decision.Held(reasons) : new Decision.Denied(reasons);
  }

  /** As long as few of the namespace's tenants came in one. */
  private ShareCheck.Result.@Nullable Fits trial(
      ClusterSnapshot snapshot, PlacementRequest.Share request) {
    ShareCheck.Result.@Nullable Fits best = null;
    for (GpuSnapshot gpu : sorted(snapshot)) {
      Prediction prediction = request.predictions().get(gpu.device().id());
      if (prediction == null) {
        continue;
      }
      Newcomer newcomer = Newcomer.of(request, gpu.device().id(), prediction);
      RiskLimit.Exploration exploration = newcomer.limits().risk().exploration();
      if (exploration.areAllowed()
          && isAnotherAllowed(newcomer.namespace(), exploration.share())
          && check.check(gpu, snapshot.takenAt(), newcomer.exploring())
              instanceof ShareCheck.Result.Fits fits
          && fits.evidence().risk() != null
          && fits.evidence().risk().isExceeded()) {
        best = better(best, fits);
      }
    }
    return best;
  }

  private boolean isAnotherAllowed(String namespace, double share) {
    int trials = 1;
    int tenants = 1;
    for (GpuSnapshot gpu : whole.gpus()) {
      if (gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> all)) {
        for (Tenant tenant : all) {
          boolean isOfNamespace = tenant.namespace().equals(namespace);
          tenants += isOfNamespace ? 1 : 0;
          trials += isOfNamespace && tenant.risk().exploration().isOne() ? 1 : 0;
        }
      }
    }
    return trials <= share * tenants;
  }

  private static ShareCheck.Result.Fits better(
      ShareCheck.Result.@Nullable Fits best, ShareCheck.Result.Fits next) {
    return best == null || BEST_FIT.compare(next, best) > 0 ? next : best;
  }

  /** Shares that tenants have taken, where decided by shares; 0 elsewhere. */
  private static double takenShares(ShareCheck.Result.Fits fits) {
    SlowdownBasis basis = fits.evidence().basis();
    return basis == null ? 0 : PartitionCheck.group(tenants(fits)).orElseThrow().sharePercent();
  }

  private static List<Tenant> tenants(ShareCheck.Result.Fits fits) {
    return ((Tenancy.Shared) fits.gpu().tenancy()).tenants();
  }

  private static SummedUtilization sum(ShareCheck.Result.Fits fits) {
    return fits.evidence().summedUtilization();
  }

  private static boolean fitsWhenFree(
      GpuSnapshot gpu, Prediction prediction, SharingLimits limits) {
    double usable = Math.floor(gpu.capacity().bytes() * (1 - limits.memoryHeadroomFraction()));
    return !(gpu.tenancy() instanceof Tenancy.Mig)
        && !prediction.missesObjective()
        && prediction.peakMemory().upper().bytes() <= usable
        && prediction.utilization().upper().percent() <= limits.summedUtilization().percent();
  }

  private static Decision whole(ClusterSnapshot snapshot, PlacementRequest.Whole request) {
    Map<String, List<GpuSnapshot>> free = new TreeMap<>();
    Map<String, Integer> wholeGpus = new TreeMap<>();
    List<Reason> tooSmall = new ArrayList<>();
    List<Reason> notFree = new ArrayList<>();
    for (GpuSnapshot gpu : sorted(snapshot)) {
      Optional<Reason> why = WholeGpuDecision.whyTooSmall(gpu, request);
      if (why.isPresent()) {
        tooSmall.add(why.get());
        continue;
      }
      if (!(gpu.tenancy() instanceof Tenancy.Mig)) {
        wholeGpus.merge(gpu.node(), 1, Integer::sum);
      }
      FreeGpu.whyNot(gpu)
          .ifPresentOrElse(
              notFree::add,
              () -> free.computeIfAbsent(gpu.node(), _ -> new ArrayList<>()).add(gpu));
    }
    Optional<List<GpuSnapshot>> chosen =
        free.values().stream()
            .filter(gpus -> gpus.size() >= request.gpus())
            .min(Comparator.comparingInt(List::size));
    if (chosen.isPresent()) {
      return admit(request, chosen.get().subList(0, request.gpus()));
    }
    List<Reason> reasons = new ArrayList<>(WholeGpuDecision.cause(request));
    reasons.addAll(tooSmall);
    if (wholeGpus.values().stream().anyMatch(n -> n >= request.gpus())) {
      reasons.addAll(notFree);
      return new Decision.Held(reasons);
    }
    if (!wholeGpus.isEmpty() || tooSmall.isEmpty()) {
      reasons.add(
          new Reason.NoCandidateGpu(
              snapshot.gpus().size(),
              "no node has " + request.gpus() + " GPUs that are not split by MIG"));
    }
    return new Decision.Denied(reasons);
  }

  private static Decision admit(PlacementRequest.Whole request, List<GpuSnapshot> gpus) {
    List<Grant> grants =
        gpus.stream()
            .map(gpu ->
                new Grant(gpu.uuid(), gpu.node(), request.predictions().get(gpu.device().id())))
            .toList();
    return new Decision.Admitted(grants, new Evidence.FreeGpus(request.gpus(), request.because()));
  }
}
