package dev.cotenant.simulator.world;

import java.util.Optional;

/**
 * Decides where jobs run. A policy sees the {@link View} alone and is called by one thread; each
 * run has its own.
 */
public interface Policy {
  /** How its queue works. */
  default QueueRule queue() {
    return QueueRule.FIFO_WITH_BACKFILL;
  }

  /** The policy's own queue, which then starts all jobs; empty where {@link #place} does. */
  default Optional<OwnQueue> ownQueue() {
    return Optional.empty();
  }

  /** A job came to the queue: it arrived, or it was interrupted and its back-off is over. */
  default void queued(JobView job) {}

  /**
   * Where a queued job goes now.
   *
   * <p>Contract: without a change of a GPU, and within one {@link QueueRule#period}, a job that was
   * refused would be refused again, as would every job of its {@link #schedulingClass}.
   */
  Placement place(JobView job, View view);

  /** Jobs with equal values fit the same GPUs. By default every job is a class of its own. */
  default Object schedulingClass(JobView job) {
    return job;
  }

  /** What becomes of a running job at the review that its placement set. */
  default Review review(JobView job, View view) {
    return new Review.Stay(null);
  }

  /** A job started on the GPU, left it or was reviewed there. */
  default void changed(GpuView gpu) {}

  /** A job ended; its figures are final. */
  default void finished(JobView job) {}
}
