package dev.cotenant.placement;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.decision.SlowdownBasis;
import dev.cotenant.domain.decision.SlowdownRisk;
import dev.cotenant.domain.decision.TrustDomain;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.ServicePartition;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.interference.InterferenceModel;
import dev.cotenant.interference.risk.RiskModels;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Holds one workload against every limit of one GPU. */
final class ShareCheck {
  private final PredictedSlowdown slowdown;
  private final RiskCheck risks;

  /** Whether risks have bound a newcomer, as they will again. */
  private volatile boolean risksBind;

  ShareCheck(InterferenceModel interference, RiskModels models) {
    slowdown = new PredictedSlowdown(interference);
    risks = new RiskCheck(models);
  }

  /** Whether it fits, with all numbers, or every reason why not. */
  sealed interface Result {
    record Fits(GpuSnapshot gpu, Prediction prediction, Evidence.WithinLimits evidence)
        implements Result {}

    record DoesNotFit(List<Reason> reasons) implements Result {}
  }

  /** Finds what the checks of all newcomers need of these GPUs. */
  void prepare(UtilizationBucket bucket) {
    bucket.gpus().forEach(IndexedGpu::prepare);
    bucket.partitioned();
    bucket.unpartitioned();
    if (risksBind) {
      bucket.tenants(risks.kinds());
    }
  }

  /** Which GPUs are worth the full check. */
  Prefilter prefilter(UtilizationBucket bucket, Newcomer newcomer) {
    boolean mayBind = risks.mayBind(newcomer);
    if (mayBind) {
      risksBind = true;
    }
    return new Prefilter(
        bucket,
        newcomer,
        slowdown.prefilter(newcomer.prediction(), newcomer.limits().slowdown()),
        mayBind ? new RiskPrefilter(risks, bucket, newcomer) : null);
  }

  Result check(GpuSnapshot gpu, Instant now, Newcomer newcomer) {
    return switch (gpu.tenancy()) {
      case Tenancy.Shared _, Tenancy.Exclusive _ when newcomer.prediction().missesObjective() ->
          new Result.DoesNotFit(
              WholeGpuDecision.whyMissed(gpu, newcomer.prediction()).stream().toList());
      case Tenancy.Mig _ ->
          new Result.DoesNotFit(List.of(new Reason.MigNotShareable(gpu.uuid(), gpu.node())));
      case Tenancy.Exclusive(String holder) ->
          new Result.DoesNotFit(
              evenAlone(
                  gpu, newcomer, new Reason.ExclusiveRequested(gpu.uuid(), gpu.node(), holder)));
      case Tenancy.Shared(List<Tenant> tenants) ->
          whyClosed(gpu, tenants, newcomer)
              .<Result>map(reason -> new Result.DoesNotFit(List.of(reason)))
              .orElseGet(() -> new Attempt(gpu, tenants, now, newcomer).result());
    };
  }

  /** With that the newcomer needs more memory than the GPU has, which no wait cures. */
  private static List<Reason> evenAlone(GpuSnapshot gpu, Newcomer newcomer, Reason reason) {
    return Stream.concat(
            Stream.of(reason), WholeGpuDecision.whyTooSmall(gpu, newcomer.prediction(), 1).stream())
        .toList();
  }

  /** That a tenant or the newcomer has to be alone, or that the guard has closed the GPU. */
  private static Optional<Reason> whyClosed(
      GpuSnapshot gpu, List<Tenant> tenants, Newcomer newcomer) {
    for (Tenant tenant : tenants) {
      Instant until = tenant.profiledUntil();
      if (until != null) {
        return Optional.of(
            new Reason.ProfilingInProgress(gpu.uuid(), gpu.node(), tenant.name(), until));
      }
      Instant guarded = tenant.guardedSince();
      if (guarded != null) {
        return Optional.of(new Reason.GpuGuarded(gpu.uuid(), gpu.node(), tenant.name(), guarded));
      }
    }
    return newcomer.isProfiled() && FreeGpu.isInUse(gpu)
        ? Optional.of(
            new Reason.ProfilingNeedsFreeGpu(
                gpu.uuid(), gpu.node(), newcomer.limits().profileTime()))
        : Optional.empty();
  }

  private final class Attempt {
    private final GpuSnapshot gpu;
    private final List<Tenant> tenants;
    private final Instant now;
    private final Newcomer newcomer;
    private final double sharePercent;
    private final Prediction prediction;
    private final SharingLimits limits;
    private final TrustDomain trust;
    private final Utilization unattributedUsage;
    private final List<Reason> reasons = new ArrayList<>();

    /** Of the profiled services in partitions; empty with fewer than two. */
    private final List<PartitionCheck.Effect> partitions;

    Attempt(GpuSnapshot gpu, List<Tenant> tenants, Instant now, Newcomer workload) {
      this.gpu = gpu;
      this.tenants = tenants;
      this.now = now;
      this.unattributedUsage = UnattributedUsage.of(gpu, tenants, now);
      PartitionCheck.Placed placed =
          PartitionCheck.placed(tenants, workload, !unattributedUsage.equals(Utilization.IDLE));
      this.newcomer = placed.newcomer();
      this.sharePercent = placed.sharePercent();
      this.prediction = newcomer.prediction();
      this.limits = newcomer.limits();
      this.trust = newcomer.trust();
      this.partitions = PartitionCheck.effects(tenants, newcomer);
    }

    /** Whether all are profiled services, whose shares count in place of utilizations. */
    private boolean isPartitioned() {
      return !Double.isNaN(sharePercent);
    }

    Result result() {
      checkTrust();
      checkTenants();
      SummedUtilization sum = checkUtilization();
      PredictedSlowdown.Worst slowdown = checkSlowdown(sum);
      SlowdownRisk risk = checkRisk();
      Optional<UsedMemory> used = checkMemory();
      if (!reasons.isEmpty() || used.isEmpty()) {
        return new Result.DoesNotFit(List.copyOf(reasons));
      }
      Evidence.WithinLimits evidence =
          new Evidence.WithinLimits(
              sum,
              used.get().bytes(),
              needed(),
              memoryLimit(gpu.capacity(), limits),
              used.get().estimator(),
              slowdown.slowdown(),
              tenants.size() + 1,
              limits,
              slowdown.basis(),
              prediction.service(),
              risk);
      return new Result.Fits(gpu, prediction, evidence);
    }

    private void checkTrust() {
      if (!tenants.stream().map(Tenant::namespace).allMatch(trust::includes)) {
        reasons.add(new Reason.TrustDomainMismatch(gpu.uuid(), gpu.node()));
      }
    }

    private void checkTenants() {
      if (tenants.size() >= limits.tenants()) {
        reasons.add(
            new Reason.TenantLimit(gpu.uuid(), gpu.node(), tenants.size(), limits.tenants()));
      }
    }

    private SummedUtilization checkUtilization() {
      SummedUtilization before = summed(tenants);
      Utilization own = prediction.utilization().upper();
      SummedUtilization after = before.plus(unattributedUsage).plus(own);
      checkShares();
      if (!isPartitioned() && after.compareTo(limits.summedUtilization()) > 0) {
        reasons.add(
            new Reason.UtilizationExceeded(
                gpu.uuid(),
                gpu.node(),
                before,
                unattributedUsage,
                own,
                limits.summedUtilization(),
                UnattributedUsage.ofNewTenants(gpu, tenants, now)));
      }
      return after;
    }

    /** Shares of profiled services alone never exceed the GPU, whatever else decides there. */
    private void checkShares() {
      double taken = PartitionCheck.sharePercent(tenants);
      ServicePartition own = prediction.partition();
      double all = taken + PartitionCheck.sharePercent(newcomer);
      if (own != null && !Double.isNaN(all) && !PartitionCheck.isWithin(all, limits)) {
        reasons.add(
            new Reason.SharesExceeded(
                gpu.uuid(), gpu.node(), taken, own.share(), PartitionCheck.limitPercent(limits)));
      }
    }

    private PredictedSlowdown.Worst checkSlowdown(SummedUtilization sum) {
      if (tenants.isEmpty() && unattributedUsage.equals(Utilization.IDLE)) {
        return new PredictedSlowdown.Worst(Slowdown.NONE, null);
      }
      return isPartitioned() ? checkPartitions(sum) : checkInTime(sum);
    }

    /** Each service against its own limit, since it is predicted what each of them suffers. */
    private PredictedSlowdown.Worst checkPartitions(SummedUtilization sum) {
      PredictedSlowdown.Worst worst = PredictedSlowdown.ofWorst(partitions);
      for (PartitionCheck.Effect effect : partitions) {
        check(effect.slowdown(), sum, effect.limit(), worst.basis());
      }
      return worst;
    }

    /**
     * All against the strictest limit; and services in partitions, which slow each other down,
     * against their own beside those that have none.
     */
    private PredictedSlowdown.Worst checkInTime(SummedUtilization sum) {
      PredictedSlowdown.Worst predicted =
          slowdown.ofWorst(gpu.device().id(), tenants, unattributedUsage, prediction);
      Slowdown limit =
          tenants.stream()
              .map(Tenant::slowdownLimit)
              .reduce(limits.slowdown(), (a, b) -> a.compareTo(b) <= 0 ? a : b);
      if (!check(predicted.slowdown().ratio(), sum, limit, predicted.basis())) {
        for (PartitionCheck.Effect effect : partitions) {
          double others =
              slowdown.besideOthers(
                  gpu.device().id(), effect.name(), tenants, unattributedUsage, newcomer);
          check(effect.slowdown() * others, sum, effect.limit(), predicted.basis());
        }
      }
      return predicted;
    }

    /** Whether the limit is exceeded; says so. */
    private boolean check(
        double ratio, SummedUtilization sum, Slowdown limit, @Nullable SlowdownBasis basis) {
      boolean exceeded = ratio > limit.ratio();
      if (exceeded) {
        reasons.add(
            new Reason.InterferenceExceeded(
                gpu.uuid(), gpu.node(), Slowdown.ofRatio(ratio), sum, limit, basis));
      }
      return exceeded;
    }

    private @Nullable SlowdownRisk checkRisk() {
      RiskCheck.Finding found = risks.find(gpu.device(), tenants, unattributedUsage, newcomer);
      SlowdownRisk worst = found.worst();
      if (worst != null && !found.isWithin()) {
        reasons.add(new Reason.RiskExceeded(gpu.uuid(), gpu.node(), worst));
      }
      return worst;
    }

    private Optional<UsedMemory> checkMemory() {
      return switch (gpu.memory()) {
        case MemoryObservation.Unmeasured _ ->
            refuse(evenAlone(gpu, newcomer, new Reason.NoMetrics(gpu.uuid(), gpu.node())));
        case MemoryObservation.Stale(var age, var limit) ->
            refuse(
                evenAlone(
                    gpu, newcomer, new Reason.MetricsStale(gpu.uuid(), gpu.node(), age, limit)));
        case MemoryObservation.Measured measured -> checkMeasured(measured);
      };
    }

    private Optional<UsedMemory> checkMeasured(MemoryObservation.Measured measured) {
      List<UsedMemory> estimates = UsedMemory.estimates(measured, tenants, now, newcomer);
      MemorySize limit = memoryLimit(gpu.capacity(), limits);
      Optional<UsedMemory> fitting =
          estimates.stream().filter(e -> e.bytes().plus(needed()).isAtMost(limit)).findFirst();
      if (fitting.isPresent()) {
        return fitting;
      }
      UsedMemory least = UsedMemory.least(estimates);
      return refuse(
          List.of(
              new Reason.MemoryForecastExceeded(
                  gpu.uuid(),
                  gpu.node(),
                  least.bytes(),
                  least.estimator(),
                  needed(),
                  limits.bounds().bindsMemory() ? prediction.peakMemory().coverage() : null,
                  limit,
                  prediction.engine(),
                  least.newTenants())));
    }

    private Optional<UsedMemory> refuse(List<Reason> why) {
      reasons.addAll(why);
      return Optional.empty();
    }

    private MemorySize needed() {
      return prediction.peakMemory().upper();
    }
  }

  /** The upper bounds of the tenants' utilization. */
  static SummedUtilization summed(List<Tenant> tenants) {
    double percent = 0;
    for (Tenant tenant : tenants) {
      percent += tenant.utilization().upper().percent();
    }
    return SummedUtilization.ofPercent(percent);
  }

  /** Usable memory less headroom, rounded down. */
  static MemorySize memoryLimit(MemorySize capacity, SharingLimits limits) {
    return MemorySize.ofBytes(memoryLimitBytes(capacity.bytes(), limits));
  }

  static long memoryLimitBytes(long capacityBytes, SharingLimits limits) {
    return (long) Math.floor(capacityBytes * (1 - limits.memoryHeadroomFraction()));
  }
}
