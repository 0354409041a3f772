package dev.cotenant.predictor.model;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.profile.ProfileRow;

/** What is predicted, and the log space in which trees learn it and residuals are taken. */
public enum Target {
  /** log1p of mean GPU utilization in percent (0 to 100), so that residuals square to RMSLE. */
  UTILIZATION("utilization"),
  /**
   * Natural logarithm of peak device memory over {@link TrainingMemory}; residuals are logarithms
   * of actual over predicted bytes.
   */
  PEAK_MEMORY("memory");

  private final String task;

  Target(String task) {
    this.task = task;
  }

  /** The name in evaluation tables. */
  public String task() {
    return task;
  }

  /** Whether the forest of this target may split on the feature. */
  private boolean uses(int feature) {
    return this == PEAK_MEMORY || Feature.at(feature) != Feature.ACTIVATIONS_MIB;
  }

  /** The {@link Feature} vector of a model on a device; features that this target lacks are 0. */
  public float[] vector(ModelFeatures model, Device device) {
    float[] vector = Feature.encode(model, device);
    for (int feature = 0; feature < vector.length; feature++) {
      vector[feature] = uses(feature) ? vector[feature] : 0;
    }
    return vector;
  }

  public boolean isMeasured(ProfileRow row) {
    return switch (this) {
      case UTILIZATION -> row.utilization() != null;
      case PEAK_MEMORY -> row.peakMemory() != null && row.peakMemory().bytes() > 0;
    };
  }

  /**
   * The measured value in log space.
   *
   * @throws IllegalArgumentException when the row does not hold it
   */
  public double logOf(ProfileRow row) {
    var utilization = row.utilization();
    var memory = row.peakMemory();
    if (this == UTILIZATION && utilization != null) {
      return Math.log1p(utilization.percent());
    }
    if (this == PEAK_MEMORY && memory != null) {
      return Math.log(memory.toMiB()) - logScale(row.features());
    }
    throw new IllegalArgumentException(row.source() + " holds no " + task);
  }

  /**
   * The measured value's logarithm with nothing taken out: log1p of percent, or log of MiB.
   *
   * @throws IllegalArgumentException when the row does not hold it
   */
  public double plainLogOf(ProfileRow row) {
    return logOf(row) + logScale(row.features());
  }

  /** Offset of the logarithm: 0, or the logarithm of {@link TrainingMemory} in MiB. */
  public double logScale(ModelFeatures model) {
    return switch (this) {
      case UTILIZATION -> 0;
      case PEAK_MEMORY -> Math.log(TrainingMemory.mebibytes(model));
    };
  }
}
