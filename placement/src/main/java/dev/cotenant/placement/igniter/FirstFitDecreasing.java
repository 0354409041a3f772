package dev.cotenant.placement.igniter;

import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.ServicePlanner;
import java.util.List;

/**
 * FFD+, a baseline of the iGniter paper [iGniter, section 5.1]: theorem 1's batch and least share,
 * the largest first, each on the first GPU that has so much left; neighbours do not matter.
 *
 * <p>For the paper's twelve: 5 GPUs, as in its Fig. 14. The model predicts 9 of the twelve to miss
 * latency or rate; the paper measured 10, 99th percentiles that a mean model does not see.
 *
 * <p>Ties are broken by name. Splitting, memory and kinds of device are as in {@link
 * IgniterPlanner}.
 */
public final class FirstFitDecreasing implements ServicePlanner {
  @Override
  public String name() {
    return "ffd+";
  }

  @Override
  public FleetPlan plan(Fleet fleet) {
    return DeviceChoice.plan(
        name(),
        fleet,
        (type, services) ->
            TypePlanning.planByName(type, services, (device, gpus, needs) -> seating(gpus, needs)));
  }

  private static Seating seating(OpenGpus gpus, List<List<Need>> needs) {
    return new FirstFit(
        gpus,
        needs,
        (gpu, need) -> {
          gpus.change(gpu).add(need, need.lowerUnits());
          return true;
        });
  }
}
