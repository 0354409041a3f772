package dev.cotenant.simulator.replay;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A job that ran on a cluster.
 *
 * @param origin which job it was
 * @param times when it came, started and ended
 * @param allocation the GPUs that it held
 * @param usage what was measured of it
 */
public record RecordedJob(Origin origin, Times times, Allocation allocation, Usage usage) {

  /**
   * Which job it was.
   *
   * @param namespace of its pod; may be empty
   * @param name of its pod or job; may be empty
   * @param configuration what recurs, such as model or image; empty where unknown
   */
  public record Origin(String namespace, String name, String configuration) {}

  /** Whether start and end lie in the recording. */
  public enum Extent {
    WHOLE,
    /** The recording starts after its start or ends before its end. */
    CUT
  }

  /**
   * When it came, started and ended.
   *
   * @param submitted not after the start
   * @param started before the end
   * @param ended of the job or, of a cut one, of the recording
   */
  public record Times(Instant submitted, Instant started, Instant ended, Extent extent) {
    public Times {
      if (submitted.isAfter(started) || !started.isBefore(ended)) {
        throw new IllegalArgumentException(
            "must hold submitted <= started < ended, is "
                + submitted
                + ", "
                + started
                + ", "
                + ended);
      }
    }

    /** Time in the queue. */
    Duration waited() {
      return Duration.between(submitted, started);
    }

    /** Time on GPUs. */
    public Duration run() {
      return Duration.between(started, ended);
    }
  }

  /**
   * The GPUs that it held.
   *
   * @param gpus at least 1
   * @param device their product
   */
  public record Allocation(int gpus, DeviceId device) {
    public Allocation {
      if (gpus < 1) {
        throw new IllegalArgumentException("gpus must be at least 1, is " + gpus);
      }
    }
  }

  /**
   * Usage while the job was alone on its GPU; null for unknown.
   *
   * @param requestedMemory device memory that its owner requested
   * @param peakMemory of the device
   * @param utilization mean over its run
   * @param isMeasured false where peak and utilization were not recorded and others stand in
   */
  public record Usage(
      @Nullable MemorySize requestedMemory,
      @Nullable MemorySize peakMemory,
      @Nullable Utilization utilization,
      boolean isMeasured) {
    public static final Usage UNKNOWN = new Usage(null, null, null);

    /** Peak and utilization were measured, where they are known. */
    public Usage(
        @Nullable MemorySize requestedMemory,
        @Nullable MemorySize peakMemory,
        @Nullable Utilization utilization) {
      this(requestedMemory, peakMemory, utilization, true);
    }
  }

  /** GPU time that it held. */
  double gpuHours() {
    return allocation.gpus() * times.run().toMillis() / 3_600_000.0;
  }
}
