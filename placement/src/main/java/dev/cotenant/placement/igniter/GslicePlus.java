package dev.cotenant.placement.igniter;

import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.ServicePlanner;

/**
 * GSLICE+, a baseline of the iGniter paper [iGniter, sections 5.1 and 5.3]: iGniter decides who is
 * beside whom; then everyone's share and batch are tuned five times by measured latency and
 * throughput, with a threshold of 10 % and without a thought for the neighbours.
 *
 * <p>For the paper's twelve: 6 GPUs and 3 that miss latency, as many as in its Fig. 14, though not
 * the same ones. What differs, and why:
 *
 * <ul>
 *   <li>Measured means here what the model gives beside the neighbours as they are at that moment;
 *       the paper's averages lay below it (10.7 ms against 12.3 ms for SSD of App1), so that other
 *       workloads seemed to have share to spare.
 *   <li>The paper gives neither where tuning starts nor its step: here, everyone's least share
 *       alone, and a tenth of a GPU.
 *   <li>Its shares may add up to more than 100 %, and contend; a plan's may not, so that here one
 *       gets what is left.
 * </ul>
 *
 * <p>Places are {@link IgniterPlanner}'s, with its ties by input order, splitting, memory and kinds
 * of device.
 */
public final class GslicePlus implements ServicePlanner {
  @Override
  public String name() {
    return "gslice+";
  }

  @Override
  public FleetPlan plan(Fleet fleet) {
    Rules tuning = new SelfTuning();
    return DeviceChoice.plan(
        name(), fleet, (type, services) -> TypePlanning.plan(type, services, tuning));
  }
}
