package dev.cotenant.simulator.world;

import dev.cotenant.domain.quantity.Nanoseconds;

/**
 * Sums over a run. Times are in nanoseconds unless a name says otherwise; integrals over a GPU
 * start at 0 and end at {@link #end}.
 */
public final class Totals {
  long submitted;
  long finished;
  long kills;
  long moves;
  long failed;
  int unplaced;
  int mostWaiting;
  int mostPending;
  long end;
  double waited;
  double ran;
  double work;
  double lost;
  double failedWork;
  private double progressed;
  private double busy;
  private double jobTime;
  private double harmed;
  private double utilization;
  private double memory;
  private double joules;
  private double gpuTime;

  Totals() {}

  /** A stretch of time of a GPU without changes, before its jobs advance. */
  void add(Gpu gpu, long nanos) {
    int jobs = gpu.jobs().size();
    gpuTime += nanos;
    joules += gpu.watts() * nanos / Nanoseconds.PER_SECOND;
    if (jobs == 0) {
      return;
    }
    busy += nanos;
    jobTime += (double) jobs * nanos;
    harmed += gpu.harms() ? (double) jobs * nanos : 0;
    utilization += gpu.utilizationPercent() * nanos;
    memory += (gpu.usedBytes() + gpu.memorySlope() * nanos / 2) * nanos;
    for (Job job : gpu.jobs()) {
      progressed += job.speed * nanos;
    }
  }

  void fail(Job job, long now) {
    failed++;
    failedWork += job.done + job.lostWork();
    end = now;
  }

  void finish(Job job, long now) {
    finished++;
    end = now;
    waited += job.waited;
    ran += job.ran;
    work += job.truth.work();
    lost += job.lostWork();
  }

  /** Jobs that completed their work. */
  public long finished() {
    return finished;
  }

  /** Jobs that need more memory than a whole GPU has. */
  public long failed() {
    return failed;
  }

  /** Jobs that the policy never started. */
  public int unplaced() {
    return unplaced;
  }

  /** Times that a job ran out of memory. */
  public long outOfMemoryKills() {
    return kills;
  }

  /** Times that a review moved a job. */
  public long moves() {
    return moves;
  }

  /** The longest queue. */
  public int mostWaiting() {
    return mostWaiting;
  }

  /** The most pending events, a measure of memory. */
  public int mostPending() {
    return mostPending;
  }

  /** Seconds from 0 to the end of the last job. */
  public double makespanSeconds() {
    return end / Nanoseconds.PER_SECOND;
  }

  /** Mean time in the queue. */
  public double meanWaitSeconds() {
    return waited / finished / Nanoseconds.PER_SECOND;
  }

  /** Mean time on GPUs, restarts included. */
  public double meanRunSeconds() {
    return ran / finished / Nanoseconds.PER_SECOND;
  }

  /** Time of all jobs on GPUs over their work. */
  public double runOverWork() {
    return ran / work;
  }

  /** Time of GPUs with at least one job. */
  public double gpuHours() {
    return busy / Nanoseconds.PER_SECOND / 3600;
  }

  /** Share of the time of jobs on GPUs on which a job was slowed beyond the limit, in percent. */
  public double harmedPercent() {
    return 100 * harmed / jobTime;
  }

  /** Mean number of jobs on GPUs times the time that they are there. */
  public double jobSeconds() {
    return jobTime / Nanoseconds.PER_SECOND;
  }

  /** Mean over all GPUs and the makespan. */
  public double meanUtilizationPercent() {
    return utilization / gpuTime;
  }

  /** Mean over the time of GPUs with at least one job. */
  public double meanBusyUtilizationPercent() {
    return utilization / busy;
  }

  /** Mean memory in use on a GPU over the makespan. */
  public double meanUsedMemoryBytes() {
    return memory / gpuTime;
  }

  /** Energy of all GPUs over the makespan. */
  public double energyJoules() {
    return joules;
  }

  /** Energy over time of one GPU. */
  public double meanWatts() {
    return joules / (gpuTime / Nanoseconds.PER_SECOND);
  }

  /** Work of finished jobs in seconds. */
  public double finishedWorkSeconds() {
    return work / Nanoseconds.PER_SECOND;
  }

  /** Work of finished jobs that interruptions lost, in seconds. */
  public double lostWorkSeconds() {
    return lost / Nanoseconds.PER_SECOND;
  }

  /**
   * Work that GPUs did, in seconds: that of finished jobs, what was lost, and that of failed jobs.
   */
  public double progressedSeconds() {
    return progressed / Nanoseconds.PER_SECOND;
  }
}
