package dev.cotenant.predictor.correct;

import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import java.util.OptionalDouble;

/** Corrected quantities, with their log space: the one of RMSLE. */
public enum CorrectedTarget {
  /** log1p of mean utilization in percent. */
  UTILIZATION("utilization"),
  /** Natural logarithm of peak memory in bytes. */
  PEAK_MEMORY("memory");

  private final String key;

  CorrectedTarget(String key) {
    this.key = key;
  }

  /** Its name in files and metrics. */
  public String key() {
    return key;
  }

  /**
   * The measured logarithm; empty where it was not measured. The utilization of inference follows
   * from its request rate: without one it teaches nothing.
   */
  public OptionalDouble measured(ProfileRow row) {
    var utilization = row.utilization();
    var memory = row.peakMemory();
    return switch (this) {
      case UTILIZATION ->
          utilization == null || isServedAtUnknownRate(row)
              ? OptionalDouble.empty()
              : OptionalDouble.of(Math.log1p(utilization.percent()));
      case PEAK_MEMORY ->
          memory == null || memory.bytes() == 0
              ? OptionalDouble.empty()
              : OptionalDouble.of(Math.log((double) memory.bytes()));
    };
  }

  private static boolean isServedAtUnknownRate(ProfileRow row) {
    return row.settings().mode() == ExecutionMode.INFERENCE
        && !(row.settings().load() instanceof Load.RequestRate);
  }

  /** A prediction's estimate and bounds as logarithms. */
  public LogBounds predicted(Prediction prediction) {
    return switch (this) {
      case UTILIZATION ->
          new LogBounds(
              Math.log1p(prediction.utilization().mean().percent()),
              Math.log1p(prediction.utilization().lower().percent()),
              Math.log1p(prediction.utilization().upper().percent()));
      case PEAK_MEMORY ->
          new LogBounds(
              logOf(prediction.peakMemory().mean().bytes()),
              logOf(prediction.peakMemory().lower().bytes()),
              logOf(prediction.peakMemory().upper().bytes()));
    };
  }

  private static double logOf(long bytes) {
    return Math.log((double) Math.max(1, bytes));
  }

  /** An estimate with its bounds, as logarithms. */
  public record LogBounds(double mean, double lower, double upper) {
    /** Smaller widths are below the repeatability of measured utilization, about 3 %. */
    private static final double MIN_WIDTH = 0.02;

    /** How far above the estimate the upper bound lies, positive. */
    public double above() {
      return Math.max(MIN_WIDTH, upper - mean);
    }

    /** How far below it the lower bound lies, positive. */
    public double below() {
      return Math.max(MIN_WIDTH, mean - lower);
    }
  }
}
