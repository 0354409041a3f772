package dev.cotenant.placement.jobs;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.placement.fleet.Job;

/**
 * What a strategy reckons that a job takes of a GPU.
 *
 * @param utilization of the compute; idle where the strategy does not look at it
 * @param memory of the device
 */
record Demand(Utilization utilization, MemorySize memory) {
  /** What is predicted of the job. */
  static Demand predicted(Job job, Job.Outlook outlook) {
    return new Demand(outlook.utilization(), outlook.peakMemory());
  }

  /** What its owner asks for, and nothing else. */
  static Demand requested(Job job, Job.Outlook outlook) {
    return new Demand(Utilization.IDLE, job.requested());
  }
}
