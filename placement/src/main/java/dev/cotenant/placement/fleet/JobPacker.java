package dev.cotenant.placement.fleet;

/**
 * Packs the jobs of a fleet onto GPUs that are shared in time, all at once.
 *
 * <p>Every job of the fleet is on one GPU or among the unplaced with a reason for each kind of
 * device; no more GPUs of a kind are used than there are. Services are ignored. The same fleet
 * gives the same plan, whatever the order of the jobs.
 */
public interface JobPacker {
  /** The strategy's name on the command line. */
  String name();

  /** Packs the fleet. */
  FleetPlan pack(Fleet fleet);
}
