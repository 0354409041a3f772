package dev.cotenant.placement.glet;

import dev.cotenant.interference.partition.UtilizationFactor;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.ServicePlanner;

/**
 * Elastic partitioning with interference, "gpulet+int" [gpu-lets, algorithm 1]: every GPU whole or
 * in two gpu-lets of 20/80, 40/60 or 50/50 %, services in the share at the knee of what they gain,
 * several in one gpu-let where they can take turns.
 *
 * <p>Deviations from the paper:
 *
 * <ul>
 *   <li>a batch must take half the objective, or a cycle and the batch the whole of it, not the
 *       batch alone: a request waits before it runs. So does the authors' code, and {@link
 *       dev.cotenant.placement.fleet.GpuEvaluation};
 *   <li>the interference factor is multiplied, not added, and both neighbours must still hold; the
 *       batch is the largest with it rather than without it, which would leave it no room;
 *   <li>services in turns get the least batches that keep up, which is the shortest cycle;
 *   <li>how much a gpu-let is given, which is not printed: all that is left of the rate where that
 *       holds, else what it serves beside the worst neighbour that the fleet could put there;
 *   <li>where no free gpu-let is large enough, the largest that is left is taken, then as much is
 *       merged anywhere as goes in, as in the authors' code; a service that cannot be served in
 *       parts of its knee is tried again in parts of p_req, and one that cannot be served in full
 *       is left out.
 * </ul>
 *
 * L2 utilizations are those of profiles, and memory bandwidth counts as used as much as L2; the
 * factor is the one that the authors published, of an RTX 2080 Ti. Ties are broken by name; GPUs
 * without enough memory are skipped.
 */
public final class GpuLets implements ServicePlanner {
  private static final ElasticPartitioning STRATEGY =
      ElasticPartitioning.gpulets(Interference.linear(UtilizationFactor.RTX_2080_TI));

  @Override
  public String name() {
    return "gpulets";
  }

  @Override
  public FleetPlan plan(Fleet fleet) {
    return FleetPlanning.plan(name(), fleet, STRATEGY);
  }
}
