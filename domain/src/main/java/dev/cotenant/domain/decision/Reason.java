package dev.cotenant.domain.decision;

import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.quantity.Utilization;
import java.time.Duration;
import java.util.List;
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

  /** A reason that concerns one GPU. */
  sealed interface OfGpu extends Reason {
    String gpuUuid();

    String node();
  }

  /**
   * The summed upper bounds of predicted utilization would pass the limit; what is observed on the
   * GPU and explained by no tenant counts.
   */
  record UtilizationExceeded(
      String gpuUuid,
      String node,
      SummedUtilization tenants,
      Utilization unattributedUsage,
      Utilization workloadUpper,
      SummedUtilization limit)
      implements OfGpu {
    @Override
    public String sentence() {
      return where(this)
          + "predicted utilization would sum to "
          + tenants.plus(unattributedUsage).plus(workloadUpper)
          + " (tenants "
          + tenants
          + (unattributedUsage.equals(Utilization.IDLE)
              ? ""
              : " + unattributed usage " + unattributedUsage)
          + " + this workload "
          + workloadUpper
          + "), limit "
          + limit;
    }
  }

  /** Forecast memory plus the workload's predicted peak would pass usable memory less headroom. */
  record MemoryForecastExceeded(
      String gpuUuid,
      String node,
      MemorySize forecastUsed,
      String estimator,
      MemorySize workloadUpper,
      MemorySize limit)
      implements OfGpu {
    @Override
    public String sentence() {
      return where(this)
          + "memory would reach "
          + forecastUsed.plus(workloadUpper)
          + " (forecast "
          + forecastUsed
          + " by "
          + estimator
          + " + this workload "
          + workloadUpper
          + "), limit "
          + limit;
    }
  }

  /**
   * Somebody's predicted slowdown would pass the limit.
   *
   * @param basis what it rests on; null where that is the summed utilization alone
   */
  record InterferenceExceeded(
      String gpuUuid,
      String node,
      Slowdown predicted,
      SummedUtilization summedUtilization,
      Slowdown limit,
      @Nullable SlowdownBasis basis)
      implements OfGpu {
    @Override
    public String sentence() {
      return where(this)
          + "predicted slowdown "
          + predicted
          + (basis == null ? "" : " (" + basis.sentence() + ")")
          + " at a summed utilization of "
          + summedUtilization
          + ", limit "
          + limit;
    }
  }

  /** The GPU already has as many tenants as it may. */
  record TenantLimit(String gpuUuid, String node, int tenants, int limit) implements OfGpu {
    @Override
    public String sentence() {
      return where(this) + "already has " + tenants + " tenants, limit " + limit;
    }
  }

  /** The GPU is held whole by another workload, or whole GPUs are requested and it is not free. */
  record ExclusiveRequested(String gpuUuid, String node, String holder) implements OfGpu {
    @Override
    public String sentence() {
      return where(this) + "is held by " + holder + " and is not free for exclusive use";
    }
  }

  /** The newest used-memory sample is too old to decide on. */
  record MetricsStale(String gpuUuid, String node, Duration age, Duration limit) implements OfGpu {
    @Override
    public String sentence() {
      return where(this)
          + "newest memory sample is "
          + age.toSeconds()
          + " s old, limit "
          + limit.toSeconds()
          + " s";
    }
  }

  /** The GPU has no used-memory samples. */
  record NoMetrics(String gpuUuid, String node) implements OfGpu {
    @Override
    public String sentence() {
      return where(this) + "has no memory samples";
    }
  }

  /** The GPU is split by MIG. */
  record MigNotShareable(String gpuUuid, String node) implements OfGpu {
    @Override
    public String sentence() {
      return where(this) + "is split by MIG and is not shared further";
    }
  }

  /** No GPU of the cluster is eligible, such as none of a predicted device. */
  record NoCandidateGpu(int gpusInCluster, String why) implements Reason {
    @Override
    public String sentence() {
      return "none of the " + gpusInCluster + " GPUs of the cluster is eligible: " + why;
    }
  }

  /** The model is not registered, so that only a whole GPU will do. */
  record ModelUnknown(@Nullable String model) implements Reason {
    @Override
    public String sentence() {
      return (model == null ? "no model is named" : "model '" + model + "' is not registered")
          + ", so it needs a whole free GPU";
    }
  }

  /** The policy does not share by bounds that hold so rarely, so that only a whole GPU will do. */
  record PolicyExcluded(@Nullable Coverage coverage, Coverage least) implements Reason {
    /** The reason that goes with this cause. */
    public static PolicyExcluded of(PlacementRequest.ExclusiveCause.BoundsUncertain cause) {
      return new PolicyExcluded(cause.coverage(), cause.least());
    }

    String why() {
      return (coverage == null
              ? "the prediction's bounds are assumed, not measured"
              : "the prediction's bounds hold in " + coverage + " of such cases")
          + ", sharing wants "
          + least;
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
    /** The same limit as that of a share, without neighbours. */
    @Override
    public String code() {
      return "MemoryForecastExceeded";
    }

    @Override
    public String sentence() {
      return where(this)
          + "memory of this workload alone is predicted as "
          + predictedMean
          + ", limit "
          + limit
          + (gpus == 1 ? "" : " on " + gpus + " GPUs together");
    }
  }

  /** The workload is no longer what its room was granted for. */
  record ReservationConflict(List<Difference> differences) implements Reason {
    /** One respect in which it differs, such as {@code batch size}. */
    public record Difference(String what, String granted, String found) {}

    public ReservationConflict {
      differences = List.copyOf(differences);
    }

    @Override
    public String sentence() {
      return differences.stream()
          .map(d -> d.what() + " is " + d.found() + ", room was granted for " + d.granted())
          .collect(Collectors.joining("; "));
    }
  }

  /**
   * Room that it could have is kept for a pod ahead of it, which later ones have passed too often.
   *
   * @param pod the pod ahead, {@code team-a/big}
   * @param skips how often later pods were granted room that it could have used
   */
  record QueuedBehind(String pod, int skips) implements Reason {
    @Override
    public String sentence() {
      return "fits, but "
          + pod
          + " is ahead of it and has been passed "
          + skips
          + " times, so that room is kept for that one";
    }
  }

  /** The workload may not run on the GPUs of a node, or cannot be sent to one of them. */
  record NodeExcluded(String node, String why) implements Reason {
    @Override
    public String sentence() {
      return "node " + node + ": " + why;
    }
  }

  /** It has waited so long that its request is for a whole GPU only. */
  record WaitTimeout(Duration waited, Duration limit) implements Reason {
    @Override
    public String sentence() {
      return "has waited "
          + waited.toSeconds()
          + " s, limit "
          + limit.toSeconds()
          + " s, so that a whole free GPU will do as well as a share";
    }
  }

  /** It was granted room, and the API server refused to let it go there. */
  record GrantRefused(String why) implements Reason {
    @Override
    public String sentence() {
      return "the API server refused the grant: " + why;
    }
  }

  /**
   * Its request cannot be understood.
   *
   * @param problems one line each
   */
  record RequestInvalid(List<String> problems) implements Reason {
    public RequestInvalid {
      problems = List.copyOf(problems);
    }

    @Override
    public String sentence() {
      return String.join("; ", problems);
    }
  }

  private static String where(OfGpu reason) {
    return reason.gpuUuid() + " on " + reason.node() + ": ";
  }
}
