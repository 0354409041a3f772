package dev.cotenant.placement.glet;

import dev.cotenant.interference.partition.UtilizationFactor;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.glet.ElasticPartitioning.Rules;
import dev.cotenant.placement.glet.ElasticPartitioning.Sharing;
import dev.cotenant.placement.glet.ElasticPartitioning.Sizing;

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
 * Ties are broken by name; GPUs with no room in memory are passed over.
 */
public final class GpuLets implements ServicePlanner {
  private final GletUsage usage;
  private final ElasticPartitioning strategy;

  /** With the authors' factor and L2 utilizations from profiles. */
  public GpuLets() {
    this(Settings.DEFAULT);
  }

  public GpuLets(Settings settings) {
    usage = settings.usage();
    strategy =
        new ElasticPartitioning(
            new Rules(
                Sizing.KNEE, Sharing.IN_SPACE_AND_TIME, Interference.linear(settings.factor())));
  }

  /**
   * What interference is reckoned with.
   *
   * @param usage measured utilizations; for what is absent, L2 is as the profile says and memory
   *     bandwidth is taken to be used as much as L2
   * @param factor the formula; the authors published the constants of an RTX 2080 Ti
   */
  public record Settings(GletUsage usage, UtilizationFactor factor) {
    /** The authors' factor, nothing measured. */
    public static final Settings DEFAULT =
        new Settings(GletUsage.NONE, UtilizationFactor.RTX_2080_TI);
  }

  @Override
  public String name() {
    return "gpulets";
  }

  @Override
  public FleetPlan plan(Fleet fleet) {
    return FleetPlanning.plan(name(), fleet, usage, strategy);
  }
}
