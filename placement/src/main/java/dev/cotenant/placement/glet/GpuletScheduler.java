package dev.cotenant.placement.glet;

import java.util.List;

/** Plans one kind of GPU. */
@FunctionalInterface
public interface GpuletScheduler {
  /**
   * Gives every service that fits its gpu-lets.
   *
   * @param pool the GPUs
   * @param tenants by name; each fits on a whole GPU at some rate
   */
  PoolPlan plan(GpuPool pool, List<Tenant> tenants);
}
