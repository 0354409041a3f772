package dev.cotenant.placement;

import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryOutlook;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.quantity.Utilization;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

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

  /** Beside these tenants at a time. */
  public static Utilization of(GpuSnapshot gpu, List<Tenant> tenants, Instant now) {
    Utilization observed = gpu.observedUtilization();
    if (observed == null) {
      return Utilization.IDLE;
    }
    Duration window =
        gpu.memory() instanceof MemoryOutlook.Measured measured ? measured.window() : Duration.ZERO;
    Instant windowBegan = now.minus(window);
    double explained = 0;
    for (Tenant tenant : tenants) {
      explained +=
          UsedMemory.isYoung(tenant, windowBegan) ? 0 : tenant.utilization().mean().percent();
    }
    return Utilization.ofPercentClipped(observed.percent() - explained);
  }
}
