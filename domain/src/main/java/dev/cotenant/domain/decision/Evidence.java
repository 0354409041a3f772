package dev.cotenant.domain.decision;

import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The numbers behind an admission. */
public sealed interface Evidence {
  /** The numbers on one line, for people. */
  String sentence();

  /**
   * Every limit of a share held.
   *
   * @param summedUtilization the upper bounds of all tenants, the newcomer included
   * @param memoryUsed forecast of used memory, young tenants included, the newcomer not
   * @param memoryNeeded upper bound of the newcomer's peak
   * @param memoryLimit usable memory less headroom
   * @param estimator which forecast said so
   * @param slowdown the largest predicted among all tenants
   * @param tenants how many share the GPU now, the newcomer included
   * @param limits the limits that were held
   * @param basis what the slowdown of services in partitions rests on; null where the GPU is shared
   *     in time
   * @param service the newcomer's latency objective; null without one
   * @param risk of the tenant that comes closest to its budget; null where no budget binds
   */
  record WithinLimits(
      SummedUtilization summedUtilization,
      MemorySize memoryUsed,
      MemorySize memoryNeeded,
      MemorySize memoryLimit,
      String estimator,
      Slowdown slowdown,
      int tenants,
      SharingLimits limits,
      @Nullable SlowdownBasis basis,
      @Nullable ObjectivePrediction service,
      @Nullable SlowdownRisk risk)
      implements Evidence {
    /** Whether a workload's risk is beyond its budget, so that it is learned how they get on. */
    public boolean isTrial() {
      return limits.risk().exploration().isOne();
    }

    @Override
    public String sentence() {
      return compute()
          + ", memory "
          + memoryUsed.plus(memoryNeeded)
          + " of "
          + memoryLimit
          + " ("
          + memoryUsed
          + " by "
          + estimator
          + " + "
          + memoryNeeded
          + ")"
          + boundRisks()
          + ", slowdown "
          + slowdown
          + " of "
          + limits.slowdown()
          + (basis == null ? "" : " (" + basis.sentence() + ")")
          + (isTrial() ? ", a trial" : "")
          + (risk == null ? "" : ", " + risk.sentence())
          + ", tenant "
          + tenants
          + " of "
          + limits.tenants()
          + (service == null ? "" : ", " + service.sentence());
    }

    /**
     * The use of the budgets: of the memory budget, each tenant takes an equal part for the maximum
     * number of tenants.
     */
    private String boundRisks() {
      BoundRisk bounds = limits.bounds();
      String memory =
          bounds.bindsMemory()
              ? String.format(
                  Locale.ROOT,
                  ", risk of more memory at most %.2g %% of %.2g %%",
                  100 * bounds.memory() * tenants / limits.tenants(),
                  100 * bounds.memory())
              : "";
      return bounds.bindsObjective() && service != null
          ? memory
              + String.format(
                  Locale.ROOT, ", risk of the objective at most %.2g %%", 100 * bounds.objective())
          : memory;
    }

    /** Shares where everybody has a partition, else utilization. */
    private String compute() {
      return basis != null
          ? String.format(
              Locale.ROOT,
              "shares %.1f %% of the GPU, utilization %s",
              basis.sharePercent(),
              summedUtilization)
          : "utilization " + summedUtilization + " of " + limits.summedUtilization();
    }
  }

  /** Free GPUs were given whole, for this reason. */
  record FreeGpus(int gpus, PlacementRequest.ExclusiveCause because) implements Evidence {
    @Override
    public String sentence() {
      String what = gpus == 1 ? "a whole GPU" : gpus + " whole GPUs";
      return switch (because) {
        case PlacementRequest.ExclusiveCause.SeveralGpus _ -> what + ": several are requested";
        case PlacementRequest.ExclusiveCause.ModelUnknown unknown ->
            what + ": " + unknown.sentence();
        case PlacementRequest.ExclusiveCause.BoundsUncertain uncertain ->
            what + ": " + Reason.PolicyExcluded.of(uncertain).why();
        case PlacementRequest.ExclusiveCause.NotShareable(String why) -> what + ": " + why;
        case PlacementRequest.ExclusiveCause.WaitTimeout(var waited, var limit) ->
            what
                + ": it has waited "
                + waited.toSeconds()
                + " s for a share, limit "
                + limit.toSeconds()
                + " s";
        case PlacementRequest.ExclusiveCause.MetricsMissing _ ->
            what + ": the used memory there is not known";
      };
    }
  }

  /** The text recorded at the grant; its numbers are no longer available. */
  record Recorded(String sentence) implements Evidence {}
}
