package dev.cotenant.placement.fleet;

/**
 * Packs the jobs of a fleet onto GPUs that are shared in time, all at once.
 *
 * <p>Every job of the fleet is on one GPU or unplaced with a reason per kind of device; the number
 * of GPUs per kind is limited. Services are ignored. Deterministic, regardless of the order of
 * jobs.
 */
public interface JobPacker {
  /** The strategy's name on the command line. */
  String name();

  /** Packs the fleet. */
  FleetPlan pack(Fleet fleet);
}
