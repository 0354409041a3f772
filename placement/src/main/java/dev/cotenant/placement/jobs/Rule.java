package dev.cotenant.placement.jobs;

import dev.cotenant.placement.fleet.Job;
import java.util.Comparator;
import java.util.function.BiFunction;

/**
 * In what a strategy differs from the others.
 *
 * @param order in which jobs are placed
 * @param demand what each is reckoned to take of a kind of device
 * @param mostJobs on one GPU
 * @param memory how room for memory is judged
 * @param fit which GPU is taken among those with room
 */
record Rule(
    Comparator<Job> order,
    BiFunction<Job, Job.Outlook, Demand> demand,
    int mostJobs,
    MemoryRoom memory,
    Fit fit) {
  /** The published schedulers take jobs as they arrive; a plan knows no arrivals, so by name. */
  static final Comparator<Job> BY_NAME = Comparator.comparing(Job::name);

  /** Whether a job may take the last byte. */
  enum MemoryRoom {
    /** It may. */
    ALL,
    /** Something must be left. */
    LESS_THAN_ALL
  }

  /** Which GPU is taken among those with room. */
  enum Fit {
    /** The one opened first. */
    FIRST,
    /** The one with the least memory left; of equals the one opened first. */
    LEAST_MEMORY_LEFT
  }
}
