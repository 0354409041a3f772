package dev.cotenant.placement.glet;

import java.util.List;

/** Plans one kind of GPU. */
@FunctionalInterface
interface Strategy {
  /**
   * Gives every service that fits its gpu-lets.
   *
   * @param stock the GPUs
   * @param tenants by name; each would fit on a whole GPU at some rate
   */
  Layout plan(Stock stock, List<Tenant> tenants);
}
