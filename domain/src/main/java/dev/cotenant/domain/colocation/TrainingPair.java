package dev.cotenant.domain.colocation;

import org.jspecify.annotations.Nullable;

/**
 * One training job beside another on a whole GPU, without partitions.
 *
 * @param source the set and the line it comes from
 * @param device the GPU, as the set names it
 * @param own whose speed was measured
 * @param other its neighbour
 * @param normalisedSpeed speed beside the neighbour over speed alone; 1 is no slowdown, above 1 is
 *     noise
 */
public record TrainingPair(
    String source, String device, Job own, Job other, double normalisedSpeed) {
  /**
   * A training job.
   *
   * @param model the model's name
   * @param configuration batch, precision and all else in which its runs differ
   * @param usage what it uses alone; null where not measured
   */
  public record Job(String model, String configuration, @Nullable Usage usage) {
    /** The job's full name. */
    public String name() {
      return model + " " + configuration;
    }
  }

  /**
   * What a job uses alone.
   *
   * @param utilizationPercent time any kernel ran, 0 to 100
   * @param bandwidthPercent time memory was read or written, 0 to 100
   * @param memoryMebibytes device memory
   */
  public record Usage(double utilizationPercent, double bandwidthPercent, double memoryMebibytes) {}

  /** Both jobs, independent of the row's direction. */
  public String pair() {
    return own.name().compareTo(other.name()) <= 0
        ? own.name() + "+" + other.name()
        : other.name() + "+" + own.name();
  }
}
