package dev.cotenant.placement.fleet;

/**
 * Places the services of a fleet in MPS partitions.
 *
 * <p>Every service is in the plan: the rates of its turns add up to its rate, or it is unplaced
 * with a reason for each kind of device. The number of GPUs per kind is limited, shares on a GPU
 * add up to at most 1000 and memory to the GPU's memory. Jobs are ignored. Deterministic,
 * regardless of the order of services.
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
