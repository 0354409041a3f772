package dev.cotenant.placement;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.DeferredReasons;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.interference.InterferenceModel;
import dev.cotenant.interference.risk.RiskModels;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides about one workload on one snapshot of a cluster.
 *
 * <p>Pure: the same snapshot and request give the same decision, whatever the order of the GPUs. It
 * reserves nothing; a caller that grants must decide and record under one lock.
 */
public final class SharingDecider {
  /** Number of GPUs from which the index is kept for the next snapshot. */
  private static final int LARGE = 64;

  private final ShareDecision share;
  private final PredictedSlowdown slowdown;
  private final @Nullable BiPredicate<String, String> mayShare;
  private volatile @Nullable ClusterIndex last;

  /** Decides with this interference model, and risks that nothing was learned about. */
  public SharingDecider(InterferenceModel interference) {
    this(interference, RiskModels.UNTRAINED);
  }

  /** Decides with this interference model and these risks. */
  public SharingDecider(InterferenceModel interference, RiskModels risks) {
    this(
        new ShareDecision(new ShareCheck(interference, risks)),
        new PredictedSlowdown(interference),
        null);
  }

  private SharingDecider(
      ShareDecision share,
      PredictedSlowdown slowdown,
      @Nullable BiPredicate<String, String> mayShare) {
    this.share = share;
    this.slowdown = slowdown;
    this.mayShare = mayShare;
  }

  /**
   * A decider that ignores GPUs with tenants that the workload may not join, such as pairs without
   * measurements.
   *
   * @param workloads whether two workloads, by name, may share a GPU
   */
  public SharingDecider where(BiPredicate<String, String> workloads) {
    return new SharingDecider(share, slowdown, workloads);
  }

  /**
   * A predicted mean slowdown and its limit.
   *
   * @param limit of the tenant's own in partitions, else the strictest of all
   */
  public record Standing(Slowdown slowdown, Slowdown limit) {
    /** Whether the limit is exceeded. */
    public boolean isExceeded() {
      return slowdown.compareTo(limit) > 0;
    }
  }

  /**
   * The tenant that comes closest to its limit, or is farthest beyond, as decisions predict it.
   *
   * @param tenants tenants of one GPU of this product
   */
  public Standing standing(DeviceId device, List<Tenant> tenants) {
    if (tenants.size() < 2) {
      return new Standing(
          Slowdown.NONE, tenants.isEmpty() ? Slowdown.NONE : tenants.getFirst().slowdownLimit());
    }
    return slowdown.closest(device, tenants);
  }

  /**
   * Admits within every limit, holds what fits only later, denies what can never fit here.
   *
   * <p>Among the GPUs that could take a share, the one with the largest summed utilization
   * afterwards gets it (best fit: free GPUs stay free); a profiled service with a latency objective
   * goes before that to the GPU of such services with the largest sum of their shares. Ties go to
   * the first by node and uuid. On devices for which the limits do not trust the prediction's
   * bounds, the workload counts as unknown: where no share is to be had elsewhere it gets a whole
   * one of their GPUs, or none.
   *
   * <p>The first decision on a snapshot sorts its GPUs, O(n log n), or O(n) where the decision
   * before was on the same GPUs; later ones and those on {@linkplain ClusterSnapshot#with changed}
   * snapshots find them sorted. A refusal's reasons are those of every GPU, found when they are
   * read.
   */
  public Decision decide(ClusterSnapshot snapshot, PlacementRequest request) {
    Candidates all =
        mayShare == null
            ? Candidates.all(index(snapshot))
            : Candidates.among(index(snapshot), joinable(request, mayShare));
    return decide(all, request);
  }

  /**
   * As {@link #decide(ClusterSnapshot, PlacementRequest)}, restricted to these GPUs. Nothing is
   * copied: the index of the whole cluster serves every restriction.
   *
   * @param among whether a GPU is eligible, for example by its node; deterministic per GPU, since
   *     the reasons of a refusal evaluate it again
   */
  public Decision decide(
      ClusterSnapshot snapshot, PlacementRequest request, Predicate<GpuSnapshot> among) {
    Predicate<GpuSnapshot> eligible =
        mayShare == null ? among : among.and(joinable(request, mayShare));
    return decide(Candidates.among(index(snapshot), eligible), request);
  }

  /**
   * Sorts a snapshot and finds what decisions on it share, so that the first takes no longer than
   * later ones: for new readings, before a pod needs them.
   */
  public void prepare(ClusterSnapshot snapshot) {
    share.prepare(index(snapshot));
  }

  private ClusterIndex index(ClusterSnapshot snapshot) {
    ClusterIndex index = ClusterIndex.of(snapshot, last);
    if (index.size() >= LARGE) {
      last = index;
    }
    return index;
  }

  private Decision decide(Candidates candidates, PlacementRequest request) {
    return switch (request) {
      case PlacementRequest.Share shared -> decide(candidates, Trust.split(shared));
      case PlacementRequest.Whole whole -> WholeGpuDecision.decide(candidates, whole);
    };
  }

  private Decision decide(Candidates candidates, Trust trust) {
    PlacementRequest.Whole alone = trust.alone();
    if (alone == null) {
      return share.decide(candidates, trust.shared());
    }
    Candidates others = candidates.of(alone.predictions().keySet());
    if (trust.shared().predictions().isEmpty()) {
      return WholeGpuDecision.decide(others, alone);
    }
    Decision shared = share.decide(candidates, trust.shared());
    if (shared instanceof Decision.Admitted) {
      return shared;
    }
    Decision aside = WholeGpuDecision.decide(others, alone);
    return switch (shared) {
      case Decision.Admitted admitted -> admitted;
      case Decision.Held(List<Reason> reasons) -> orElse(aside, reasons, Decision.Held::new);
      case Decision.Denied(List<Reason> reasons) -> orElse(aside, reasons, Decision.Denied::new);
    };
  }

  private static Predicate<GpuSnapshot> joinable(
      PlacementRequest request, BiPredicate<String, String> mayShare) {
    return gpu ->
        !(gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> tenants))
            || tenants.stream().allMatch(one -> mayShare.test(request.workload(), one.name()));
  }

  /** What was decided aside where it admits, else all reasons together. */
  private static Decision orElse(
      Decision aside, List<Reason> before, Function<List<Reason>, Decision> refusal) {
    return switch (aside) {
      case Decision.Admitted admitted -> admitted;
      case Decision.Held(List<Reason> reasons) -> new Decision.Held(joined(before, reasons));
      case Decision.Denied(List<Reason> reasons) -> refusal.apply(joined(before, reasons));
    };
  }

  private static List<Reason> joined(List<Reason> first, List<Reason> second) {
    return new DeferredReasons(() -> Stream.concat(first.stream(), second.stream()).toList());
  }
}
