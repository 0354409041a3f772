package dev.cotenant.placement.fleet;

/**
 * Places the services of a fleet in MPS partitions.
 *
 * <p>Every service of the fleet is in the plan: its turns' rates add up to its rate, or it is among
 * the unplaced with a reason for each kind of device. No more GPUs of a kind are used than there
 * are, shares on a GPU add up to at most 1000 and memory to what it has. Jobs are ignored. The same
 * fleet gives the same plan, whatever the order of the services.
 *
 * <p>Whether latencies and rates hold is another question: published strategies may miss them, see
 * {@link GpuEvaluation}.
 */
public interface ServicePlanner {
  /** The strategy's name on the command line. */
  String name();

  /** Plans the fleet. */
  FleetPlan plan(Fleet fleet);
}
