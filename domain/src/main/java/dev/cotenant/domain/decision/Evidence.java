package dev.cotenant.domain.decision;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;

/** The numbers behind an admission. */
public sealed interface Evidence {
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
   */
  record WithinLimits(
      SummedUtilization summedUtilization,
      MemorySize memoryUsed,
      MemorySize memoryNeeded,
      MemorySize memoryLimit,
      String estimator,
      Slowdown slowdown,
      int tenants,
      SharingLimits limits)
      implements Evidence {}

  /** Free GPUs were given whole. */
  record FreeGpus(PlacementRequest.ExclusiveCause because) implements Evidence {}
}
