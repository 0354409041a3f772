package dev.cotenant.placement;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.quantity.Utilization;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * GPU utilization that no tenant explains: pods outside Cotenant, other schedulers.
 *
 * <p>In percent, 0 to 100; 0 where utilization was not measured.
 */
public final class UnattributedUsage {
  /*
   * Idea: observed utilization less the means that the tenants were predicted. The means, not the
   * upper bounds, whose slack would hide unattributed usage; the tenants themselves
   * are still counted with their upper bounds. A tenant younger than the window is hardly in the
   * observation and explains nothing. Utilizations overlap in time, so that their union, which is
   * observed, is at most their sum: what is left over is never too much on that account.
   */
  private UnattributedUsage() {}

  /** Unattributed utilization beside these tenants at an instant. */
  public static Utilization of(GpuSnapshot gpu, List<Tenant> tenants, Instant now) {
    Utilization observed = gpu.observedUtilization();
    if (observed == null) {
      return Utilization.IDLE;
    }
    Instant windowBegan = windowBegan(gpu, now);
    double explained = 0;
    for (Tenant tenant : tenants) {
      explained +=
          UsedMemory.isYoung(tenant, windowBegan) ? 0 : tenant.utilization().mean().percent();
    }
    return Utilization.ofPercentClipped(observed.percent() - explained);
  }

  /**
   * For tenants with precomputed sums.
   *
   * @param meansPercent sum of the means of their utilization
   * @param newest when the last of them came
   */
  static Utilization of(
      GpuSnapshot gpu, List<Tenant> tenants, double meansPercent, Instant newest, Instant now) {
    Utilization observed = gpu.observedUtilization();
    return observed == null || newest.isAfter(windowBegan(gpu, now))
        ? of(gpu, tenants, now)
        : Utilization.ofPercentClipped(observed.percent() - meansPercent);
  }

  /**
   * Sum of the bounds of new tenants, which explain no observed utilization yet; null without new
   * tenants or unattributed utilization.
   */
  static @Nullable SummedUtilization ofNewTenants(
      GpuSnapshot gpu, List<Tenant> tenants, Instant now) {
    Instant windowBegan = windowBegan(gpu, now);
    List<Tenant> young =
        tenants.stream().filter(tenant -> UsedMemory.isYoung(tenant, windowBegan)).toList();
    return young.isEmpty() || of(gpu, tenants, now).equals(Utilization.IDLE)
        ? null
        : ShareCheck.summed(young);
  }

  private static Instant windowBegan(GpuSnapshot gpu, Instant now) {
    return gpu.memory() instanceof MemoryObservation.Measured measured
        ? now.minus(measured.window())
        : now;
  }
}
