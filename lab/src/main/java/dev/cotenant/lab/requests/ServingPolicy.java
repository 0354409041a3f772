package dev.cotenant.lab.requests;

import dev.cotenant.placement.fleet.FleetPlan;

/**
 * Decides partitions and batches at the start and once in a period. A policy sees the {@link
 * Observation} alone; a new one is made for each run.
 */
@FunctionalInterface
public interface ServingPolicy {
  /** The plan from now on; the current one where nothing is to change. */
  FleetPlan plan(Observation seen);

  /**
   * Whether the processes of a plan of its own run already, on standby, so that it applies at once.
   */
  default boolean hasStandby(FleetPlan plan) {
    return false;
  }
}
