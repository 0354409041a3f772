package dev.cotenant.simulator.world;

import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;

/** A policy's view of a job: its submission and its measurements so far. */
public final class JobView implements Comparable<JobView> {
  final Job job;

  JobView(Job job) {
    this.job = job;
  }

  /**
   * Measured while the job was alone on a GPU.
   *
   * @param utilizationPercent mean over that time
   * @param peakMemory largest so far
   * @param alone how long it was alone
   */
  public record Measured(double utilizationPercent, MemorySize peakMemory, Duration alone) {}

  /** What came with it. */
  public Submission submission() {
    return job.submission;
  }

  /** Its place in the order of arrivals. */
  public long number() {
    return job.number;
  }

  /** Measurements of this very job while it was alone; empty where it never was. */
  public Optional<Measured> measured() {
    return job.measured();
  }

  /** The GPU it runs on; empty where it waits or has ended. */
  public Optional<GpuView> gpu() {
    return Optional.ofNullable(job.gpu).map(gpu -> gpu.view);
  }

  /** Last start on a GPU, since the start of the simulation. */
  public Duration startedAt() {
    return Duration.ofNanos(job.startedAt);
  }

  /**
   * Its measured speed with its present neighbours over its speed alone, with the noise of {@link
   * WorldSettings#speedNoise}; empty where it does not run.
   */
  public OptionalDouble measuredSpeed() {
    Gpu gpu = job.gpu;
    return gpu == null ? OptionalDouble.empty() : OptionalDouble.of(gpu.measuredSpeed(job));
  }

  /**
   * Samples of its own used memory within {@link WorldSettings#history} while it runs, oldest
   * first, as a monitor of processes stores them; empty without a history or where it does not run.
   */
  public MemorySeries usedMemorySeries() {
    Gpu gpu = job.gpu;
    if (gpu == null) {
      return MemorySeries.EMPTY;
    }
    gpu.advance();
    return job.history.series(gpu.now(), gpu.kind.capacity());
  }

  /** How often it ran out of memory. */
  public int outOfMemoryKills() {
    return job.kills;
  }

  /** How often a review moved it or sent it back. */
  public int moves() {
    return job.moves;
  }

  @Override
  public int compareTo(JobView other) {
    return Long.compare(number(), other.number());
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(job.number);
  }

  @Override
  public String toString() {
    return job.submission.name();
  }
}
