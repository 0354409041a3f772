package dev.cotenant.domain.decision;

import dev.cotenant.domain.prediction.EngineMemory;
import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.quantity.Utilization;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Why a workload does not get a GPU, with the numbers.
 *
 * <p>The record's simple name is the stable reason code of metrics, annotations and documents,
 * except where a record says otherwise. Reasons about one GPU name it.
 */
public sealed interface Reason {

  /** The stable code, such as {@code UtilizationExceeded}. */
  default String code() {
    return getClass().getSimpleName();
  }

  /** One sentence for people, with numbers and units. */
  String sentence();

  /**
   * How far the reason is from what a smaller batch or a short wait would cure; refusals list the
   * least severe first. 0 where it concerns no single GPU.
   */
  default int severity() {
    return switch (this) {
      case UtilizationExceeded _, SharesExceeded _, EngineStarting _ -> 1;
      case MemoryForecastExceeded _, ProfilingInProgress _ -> 2;
      case InterferenceExceeded _, RiskExceeded _ -> 3;
      case TenantLimit _, GpuGuarded _ -> 4;
      case ExclusiveRequested _, TrustDomainMismatch _, PairAvoided _, ProfilingNeedsFreeGpu _ -> 5;
      case MetricsStale _ -> 6;
      case NoMetrics _ -> 7;
      case PredictedMemoryExceeded _, ObjectiveMissed _ -> 8;
      case MigNotShareable _ -> 9;
      case NodeExcluded _ -> 10;
      case NoCandidateGpu _ -> 11;
      case ModelUnknown _, PolicyExcluded _, RequestInvalid _, ObjectivePending _ -> 0;
      case GrantConflict _, GrantRefused _, QueuedBehind _, OpenGrants _, WaitTimeout _ -> 0;
    };
  }

  /** What the workload alone needs of the GPU, and the limit; empty where no amount decides. */
  default Optional<String> need() {
    return switch (this) {
      case MemoryForecastExceeded memory ->
          Optional.of(
              "it needs up to " + memory.workloadUpper + ", the largest takes " + memory.limit);
      case PredictedMemoryExceeded memory ->
          Optional.of("it needs " + memory.predictedMean + ", the largest has " + memory.limit);
      case UtilizationExceeded busy ->
          Optional.of(
              "it keeps up to " + busy.workloadUpper + " of one busy, the limit is " + busy.limit);
      default -> Optional.empty();
    };
  }

  /**
   * What the workload alone needs of the GPU as a multiple of the limit: 0 where it would fit
   * without others, infinite where no amount decides.
   */
  default double shortfall() {
    return switch (this) {
      case MemoryForecastExceeded memory -> excess(memory.workloadUpper, memory.limit);
      case PredictedMemoryExceeded memory -> excess(memory.predictedMean, memory.limit);
      case UtilizationExceeded busy when busy.workloadUpper.percent() > busy.limit.percent() ->
          busy.workloadUpper.percent() / busy.limit.percent();
      case MigNotShareable _, ObjectiveMissed _ -> Double.POSITIVE_INFINITY;
      default -> 0;
    };
  }

  private static double excess(MemorySize needed, MemorySize limit) {
    return needed.isAtMost(limit) ? 0 : (double) needed.bytes() / limit.bytes();
  }

  /** A reason that concerns one GPU. */
  sealed interface OfGpu extends Reason {
    String gpuUuid();

    String node();

    /** The sentence without the GPU's name. */
    String problem();

    @Override
    default String sentence() {
      return gpuUuid() + " on " + node() + ": " + problem();
    }
  }

  /** A limit of sharing that one GPU would exceed; another, or a lesser workload, may fit. */
  sealed interface OfSharing extends OfGpu {}

  /**
   * The summed upper bounds of predicted utilization would exceed the limit; what is observed on
   * the GPU and explained by no tenant counts.
   *
   * @param newTenants of {@code tenants}, those whose own use is in {@code unattributedUsage},
   *     since they came within the window that is observed; null without any
   */
  record UtilizationExceeded(
      String gpuUuid,
      String node,
      SummedUtilization tenants,
      Utilization unattributedUsage,
      Utilization workloadUpper,
      SummedUtilization limit,
      @Nullable SummedUtilization newTenants)
      implements OfSharing {
    @Override
    public String problem() {
      String unattributed =
          unattributedUsage.equals(Utilization.IDLE)
              ? ""
              : " + unattributed usage "
                  + unattributedUsage
                  + (newTenants == null ? "" : ", perhaps of new tenants,");
      return "predicted utilization would sum to %s (tenants %s%s + this workload %s), limit %s"
          .formatted(
              tenants.plus(unattributedUsage).plus(workloadUpper),
              tenants,
              unattributed,
              workloadUpper,
              limit);
    }
  }

  /**
   * The MPS shares of profiled services, which count in place of utilizations where all of a GPU
   * are such, would exceed the limit.
   *
   * @param tenantsPercent of the GPU's compute, the shares of the tenants together
   * @param workload the least share in which the workload meets its objective
   * @param limitPercent the whole GPU, or the limit of utilization where that is lower
   */
  record SharesExceeded(
      String gpuUuid, String node, double tenantsPercent, Share workload, double limitPercent)
      implements OfSharing {
    @Override
    public String problem() {
      return String.format(
          Locale.ROOT,
          "MPS shares would sum to %.1f %% (tenants %.1f %% + this workload at least %s), limit"
              + " %.1f %%",
          tenantsPercent + workload.percent(),
          tenantsPercent,
          workload,
          limitPercent);
    }
  }

  /**
   * Forecast memory plus the predicted peak would exceed usable memory less headroom.
   *
   * @param forecastUsed what the estimator says, and what new tenants may add to it
   * @param workloadLevel in which share of cases {@code workloadUpper} is enough; null without a
   *     budget for running out of memory
   * @param newTenants part of {@code forecastUsed} for tenants that samples may not show yet; null
   *     without any
   */
  record MemoryForecastExceeded(
      String gpuUuid,
      String node,
      MemorySize forecastUsed,
      String estimator,
      MemorySize workloadUpper,
      @Nullable Coverage workloadLevel,
      MemorySize limit,
      @Nullable EngineMemory engine,
      @Nullable MemorySize newTenants)
      implements OfSharing {
    @Override
    public String problem() {
      return "memory would reach %s (forecast %s by %s%s + this workload %s%s), limit %s%s"
          .formatted(
              forecastUsed.plus(workloadUpper),
              newTenants == null ? forecastUsed : forecastUsed.minusOrZero(newTenants),
              estimator,
              newTenants == null ? "" : " + new tenants " + newTenants,
              workloadUpper,
              workloadLevel == null ? "" : ", enough in " + workloadLevel + " of cases",
              limit,
              engine == null || engine.advice().isEmpty() ? "" : "; " + engine.advice());
    }
  }

  /**
   * The predicted slowdown of a tenant would exceed the limit.
   *
   * @param basis its evidence for services in partitions; null where the GPU is shared in time
   */
  record InterferenceExceeded(
      String gpuUuid,
      String node,
      Slowdown predicted,
      SummedUtilization summedUtilization,
      Slowdown limit,
      @Nullable SlowdownBasis basis)
      implements OfSharing {
    @Override
    public String problem() {
      return "predicted slowdown %s%s at a summed utilization of %s, limit %s"
          .formatted(
              predicted,
              basis == null ? "" : " (" + basis.sentence() + ")",
              summedUtilization,
              limit);
    }
  }

  /** The risk of a tenant to be slowed beyond its limit would exceed its budget. */
  record RiskExceeded(String gpuUuid, String node, SlowdownRisk risk) implements OfSharing {
    @Override
    public String problem() {
      return risk.sentence();
    }
  }

  /** The GPU has reached the maximum number of tenants. */
  record TenantLimit(String gpuUuid, String node, int tenants, int limit) implements OfSharing {
    @Override
    public String problem() {
      return "already has " + tenants + " tenants, limit " + limit;
    }
  }

  /** Another server of a language model starts there: both would miscount the free memory. */
  record EngineStarting(String gpuUuid, String node, EngineStart start) implements OfGpu {
    @Override
    public String problem() {
      return start.sentence();
    }
  }

  /** Another workload holds the whole GPU, or the request is for whole GPUs and it is not free. */
  record ExclusiveRequested(String gpuUuid, String node, String holder) implements OfGpu {
    @Override
    public String problem() {
      return "is held by " + holder + " and is not free for exclusive use";
    }
  }

  /** A tenant of the GPU belongs to another trust domain. */
  record TrustDomainMismatch(String gpuUuid, String node) implements OfGpu {
    @Override
    public String problem() {
      return "has a tenant whose namespace is in another trust domain";
    }
  }

  /**
   * A tenant is being measured alone there.
   *
   * @param until when at the latest the GPU takes others
   */
  record ProfilingInProgress(String gpuUuid, String node, String tenant, Instant until)
      implements OfSharing {
    @Override
    public String problem() {
      return "is closed while " + tenant + " is profiled, at most until " + until;
    }
  }

  /**
   * A tenant there was measured beyond its limit, and the guard has closed the GPU to others.
   *
   * @param tenant one of its tenants
   * @param since when it was closed
   */
  record GpuGuarded(String gpuUuid, String node, String tenant, Instant since)
      implements OfSharing {
    @Override
    public String problem() {
      return "is closed since %s: colocation violated an objective of a tenant; one tenant is %s"
          .formatted(since, tenant);
    }
  }

  /**
   * The colocation of the workload with a tenant of the GPU violated the objective of either.
   *
   * @param tenant that one
   * @param until when their anti-affinity ends
   */
  record PairAvoided(String gpuUuid, String node, String tenant, Instant until)
      implements OfSharing {
    @Override
    public String problem() {
      return ("has %s, whose colocation with this workload violated an objective of a tenant;"
              + " anti-affinity of the pair until %s")
          .formatted(tenant, until);
    }
  }

  /** The workload is to be measured alone first, and the GPU is not free. */
  record ProfilingNeedsFreeGpu(String gpuUuid, String node, Duration profileTime)
      implements OfSharing {
    @Override
    public String problem() {
      return ("is not free, and a configuration that was not measured yet is profiled alone for"
              + " %d s first")
          .formatted(profileTime.toSeconds());
    }
  }

  /** The newest used-memory sample is too old to decide on. */
  record MetricsStale(String gpuUuid, String node, Duration age, Duration limit) implements OfGpu {
    @Override
    public String problem() {
      return "newest memory sample is %d s old, limit %d s"
          .formatted(age.toSeconds(), limit.toSeconds());
    }
  }

  /** The GPU has no used-memory samples. */
  record NoMetrics(String gpuUuid, String node) implements OfGpu {
    @Override
    public String problem() {
      return "has no memory samples";
    }
  }

  /** The GPU is split by MIG. */
  record MigNotShareable(String gpuUuid, String node) implements OfGpu {
    @Override
    public String problem() {
      return "is split by MIG and is not shared further";
    }
  }

  /** No GPU of the cluster is eligible, such as none of a predicted device. */
  record NoCandidateGpu(int gpusInCluster, String why) implements Reason {
    @Override
    public String sentence() {
      return "0/" + gpusInCluster + " GPUs are eligible: " + why;
    }
  }

  /** As {@link PlacementRequest.ExclusiveCause.ModelUnknown}: the workload gets a whole GPU. */
  record ModelUnknown(@Nullable String model, @Nullable String why) implements Reason {
    @Override
    public String sentence() {
      var cause = new PlacementRequest.ExclusiveCause.ModelUnknown(model, why, false);
      return cause.sentence() + ", so it needs a whole free GPU";
    }
  }

  /** The coverage of the bounds is below the policy's minimum, so the workload gets a whole GPU. */
  record PolicyExcluded(@Nullable Coverage coverage, Coverage least) implements Reason {
    /** The reason that goes with this cause. */
    public static PolicyExcluded of(PlacementRequest.ExclusiveCause.BoundsUncertain cause) {
      return new PolicyExcluded(cause.coverage(), cause.least());
    }

    String why() {
      String stated = coverage == null ? "assumed, not measured" : coverage.toString();
      return "the coverage of the prediction's bounds is %s, sharing requires %s"
          .formatted(stated, least);
    }

    @Override
    public String sentence() {
      return why() + ", so it needs a whole free GPU";
    }
  }

  /** The workload is expected to need more memory than the GPUs have, even alone on them. */
  record PredictedMemoryExceeded(
      String gpuUuid, String node, MemorySize predictedMean, int gpus, MemorySize limit)
      implements OfGpu {
    /** The code of this limit for shares. */
    @Override
    public String code() {
      return "MemoryForecastExceeded";
    }

    @Override
    public String problem() {
      return "memory of this workload alone is predicted as "
          + predictedMean
          + ", limit "
          + limit
          + (gpus == 1 ? "" : " on " + gpus + " GPUs together");
    }
  }

  /**
   * Alone on the GPU, more than 1 of 100 requests would take longer than the latency objective.
   *
   * @param batch largest batch of the service
   */
  record ObjectiveMissed(String gpuUuid, String node, ObjectivePrediction service, int batch)
      implements OfGpu {
    @Override
    public String problem() {
      return service.missed(batch);
    }
  }

  /** The workload differs from the granted one. */
  record GrantConflict(List<Difference> differences) implements Reason {
    /** One difference, such as {@code batch size}. */
    public record Difference(String what, String granted, String found) {}

    public GrantConflict {
      differences = List.copyOf(differences);
    }

    @Override
    public String sentence() {
      return differences.stream()
          .map(d -> d.what() + " is " + d.found() + ", the grant is for " + d.granted())
          .collect(Collectors.joining("; "));
    }
  }

  /**
   * The capacity is reserved for a pod ahead of it in the queue, which was skipped too often.
   *
   * @param pod the pod ahead, {@code team-a/big}
   * @param skips how often later pods were granted capacity that it could have used
   */
  record QueuedBehind(String pod, int skips) implements Reason {
    @Override
    public String sentence() {
      return ("fits, but %s is blocked ahead of it and was skipped %d times:"
              + " capacity is reserved for it")
          .formatted(pod, skips);
    }
  }

  /** So many grants of its namespace have no pod yet, which is the most [mode immediate]. */
  record OpenGrants(int grants) implements Reason {
    @Override
    public String sentence() {
      return grants + " grants of its namespace have no pod yet; they expire within a minute";
    }
  }

  /** How its latency objective is met is not computed yet: those of other workloads come first. */
  record ObjectivePending() implements Reason {
    @Override
    public String sentence() {
      return "its latency objective has not been evaluated yet; other pods are evaluated first";
    }
  }

  /** The workload may not run on the GPUs of a node, or cannot be sent to one of them. */
  record NodeExcluded(String node, String why) implements Reason {
    @Override
    public String sentence() {
      return "node " + node + ": " + why;
    }
  }

  /** It waited longer than its policy allows for a share; a whole GPU is requested as well. */
  record WaitTimeout(Duration waited, Duration limit) implements Reason {
    @Override
    public String sentence() {
      return "waited %d s, limit %d s; a whole free GPU is requested as well as a share"
          .formatted(waited.toSeconds(), limit.toSeconds());
    }
  }

  /** It has a grant, but the API server refused to remove its gate. */
  record GrantRefused(String why) implements Reason {
    @Override
    public String sentence() {
      return "the API server refused the grant: " + why;
    }
  }

  /** Its request is invalid; each problem is one line. */
  record RequestInvalid(List<String> problems) implements Reason {
    public RequestInvalid {
      problems = List.copyOf(problems);
    }

    @Override
    public String sentence() {
      return String.join("; ", problems);
    }
  }
}
