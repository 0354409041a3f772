package dev.cotenant.placement.glet;

import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.ServicePlanner;

/**
 * Guided self-tuning, GSLICE as the gpu-lets paper compares with it [gpu-lets, section 6.1]: every
 * service alone in partitions, each grown until the rate is served within the objective, with the
 * profiled latencies that GSLICE itself would have to measure.
 *
 * <p>Services take no turns and neighbours are not noticed. A service that a whole GPU cannot serve
 * fills whole GPUs and then the least partition that serves what is left. Deviations: the paper
 * describes it in one paragraph; two partitions a GPU of the sizes of gpu-lets and the best fit of
 * its algorithm 1 are taken from the authors' code, and where no free partition is large enough the
 * largest that is left is filled.
 */
public final class SelfTuning implements ServicePlanner {
  private static final ElasticPartitioning STRATEGY = ElasticPartitioning.selfTuning();

  @Override
  public String name() {
    return "self-tuning";
  }

  @Override
  public FleetPlan plan(Fleet fleet) {
    return FleetPlanning.plan(name(), fleet, STRATEGY);
  }
}
