package dev.cotenant.simulator.world;

import java.time.Duration;
import java.util.function.Consumer;

/** Takes the figures of single jobs and samples of the cluster; it cannot change a run. */
@FunctionalInterface
public interface Observer {
  /**
   * One job.
   *
   * @param submission what came with it
   * @param arrived since the start
   * @param waited in the queue
   * @param ran on GPUs
   * @param ended since the start
   * @param work its length alone
   */
  record Ended(
      Submission submission,
      Duration arrived,
      Duration waited,
      Duration ran,
      Duration ended,
      Duration work) {}

  /**
   * The cluster at an instant.
   *
   * @param at since the start
   * @param busyGpus GPUs with a job
   * @param waiting jobs in the queue
   * @param utilizationPercent mean over all GPUs
   * @param usedMemoryPercent mean over the memory of all GPUs
   * @param watts drawn by all GPUs
   */
  record Sample(
      Duration at,
      int busyGpus,
      int waiting,
      double utilizationPercent,
      double usedMemoryPercent,
      double watts) {}

  void ended(Ended job);

  /** When the next sample is taken, in nanoseconds since the start; not before the last one. */
  default long nextSampleNanos() {
    return Long.MAX_VALUE;
  }

  /** Takes the sample; {@link #nextSampleNanos} is later afterwards. */
  default void sampled(Sample sample) {}

  /** The same, and each job that ends goes to another as well. */
  default Observer and(Consumer<Ended> jobs) {
    Observer own = this;
    return new Observer() {
      @Override
      public void ended(Ended job) {
        own.ended(job);
        jobs.accept(job);
      }

      @Override
      public long nextSampleNanos() {
        return own.nextSampleNanos();
      }

      @Override
      public void sampled(Sample sample) {
        own.sampled(sample);
      }
    };
  }
}
