package dev.cotenant.placement.igniter;

import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.ServicePlanner;

/**
 * iGniter: every workload gets the batch and the least share that keep up with its rate within half
 * its objective, and goes where its neighbours have to be raised least [iGniter, algorithm 1,
 * algorithm 2 and theorem 1].
 *
 * <p>Workloads with equal lower bounds are placed in the order in which the fleet names them, as a
 * stable sort leaves them: the published plans rest on that, so that among such workloads the order
 * of the input matters here.
 *
 * <p>Added to what the paper says:
 *
 * <ul>
 *   <li>Shares are counted in whole units of the device (r_unit), so that 100 % is reached exactly.
 *   <li>A workload whose lower bound is above 100 % is split into the fewest equal parts of its
 *       rate whose lower bounds are not; they are placed like workloads, all of them or none.
 *   <li>Memory, where it is known, and the number of GPUs are limits too.
 *   <li>Of several kinds of device, each is planned by itself and the cheapest plan is taken, as
 *       the paper says; where none has a place for every workload, the one that leaves the fewest
 *       over, then the cheapest, and what it leaves over is planned on the other kinds.
 * </ul>
 *
 * <p>As published, and worth knowing: the increase that is minimised does not count the newcomer's
 * own lower bound; batches are not capped; a workload that opens a GPU gets its lower bound even if
 * its own power slows the GPU down. The guard against prediction errors, a shadow process, is not
 * planned.
 */
public final class IgniterPlanner implements ServicePlanner {
  private final Rules rules;

  /** As published: a batch is uploaded while the one before it runs. */
  public IgniterPlanner() {
    this(LeastIncrease::new);
  }

  private IgniterPlanner(Rules rules) {
    this.rules = rules;
  }

  /** Batches and shares that keep up with rates although nothing runs during uploads. */
  public static IgniterPlanner withUploadsBetweenBatches() {
    return new IgniterPlanner(new UploadsBetweenBatches());
  }

  @Override
  public String name() {
    return "igniter";
  }

  @Override
  public FleetPlan plan(Fleet fleet) {
    return DeviceChoice.plan(
        name(), fleet, (type, services) -> TypePlanning.plan(type, services, rules));
  }
}
