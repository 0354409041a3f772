package dev.cotenant.simulator.world;

import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;

/**
 * A part of a job's work with one load and memory that changes linearly with progress.
 *
 * @param work its length when the job runs alone on a device of speed 1; positive
 * @param load what the job does to a GPU meanwhile
 * @param memoryAtStart device memory at the start of the phase; a difference from the end of the
 *     preceding phase is a step
 * @param memoryAtEnd device memory at its end; a difference to the start is a ramp
 */
public record Phase(Duration work, Load load, MemorySize memoryAtStart, MemorySize memoryAtEnd) {
  public Phase {
    if (!work.isPositive()) {
      throw new IllegalArgumentException("work of a phase must be positive, is " + work);
    }
  }

  /**
   * Load of a job on a GPU.
   *
   * @param kind key of the {@link SpeedModel}, such as a configuration that was measured
   * @param utilizationPercent share of time with a kernel running when alone, 0 to 100
   */
  public record Load(String kind, double utilizationPercent) {
    public Load {
      if (!(utilizationPercent >= 0 && utilizationPercent <= 100)) {
        throw new IllegalArgumentException(
            "utilizationPercent must be in [0, 100], is " + utilizationPercent);
      }
    }
  }

  /** Constant memory. */
  public static Phase of(Duration work, Load load, MemorySize memory) {
    return new Phase(work, load, memory, memory);
  }

  /** The larger of both ends. */
  MemorySize peak() {
    return memoryAtStart.max(memoryAtEnd);
  }
}
