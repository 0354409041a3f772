package dev.cotenant.engine.lifecycle;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.correct.CorrectedTarget;
import dev.cotenant.predictor.correct.CorrectedTarget.LogBounds;
import dev.cotenant.predictor.correct.FeaturePredictor;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * How a predictor does on rows that no version was trained on; utilization and memory pooled, each
 * in its log space.
 *
 * @param values measured values that were compared
 * @param rmsle root of the mean squared logarithmic error
 * @param belowUpper share of them at or below the upper bound
 */
public record HeldOutScore(int values, double rmsle, double belowUpper) {
  /** Fewer decide nothing. */
  static final int LEAST_VALUES = 4;

  /** The least share of bounds that must hold, unless the present model does worse. */
  private static final double LEAST_BELOW_UPPER = 0.85;

  /** Of these rows. */
  public static HeldOutScore of(
      FeaturePredictor predictor, List<ProfileRow> rows, DeviceCatalogue devices) {
    int values = 0;
    double squares = 0;
    int below = 0;
    for (ProfileRow row : rows) {
      Prediction prediction =
          predictor.predict(row.features(), row.settings(), devices.require(row.device().value()));
      for (CorrectedTarget target : CorrectedTarget.values()) {
        OptionalDouble measured = target.measured(row);
        if (measured.isPresent()) {
          LogBounds bounds = target.predicted(prediction);
          double error = measured.getAsDouble() - bounds.mean();
          squares += error * error;
          below += measured.getAsDouble() <= bounds.upper() ? 1 : 0;
          values++;
        }
      }
    }
    return values == 0
        ? new HeldOutScore(0, 0, 0)
        : new HeldOutScore(values, Math.sqrt(squares / values), (double) below / values);
  }

  /** Whether there is enough to judge by. */
  public boolean isJudged() {
    return values >= LEAST_VALUES;
  }

  /** Whether a smaller error was bought neither with luck alone nor with bounds that fail. */
  public boolean beats(HeldOutScore other) {
    return isJudged()
        && rmsle < other.rmsle
        && belowUpper >= Math.min(LEAST_BELOW_UPPER, other.belowUpper);
  }

  /** As metrics of a version. */
  Map<String, Double> asMetrics() {
    return Map.of(
        "held_out_values", (double) values,
        "held_out_rmsle", rmsle,
        "held_out_below_upper", belowUpper);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "RMSLE %.4f, %.0f %% below the upper bound, %d values",
        rmsle,
        belowUpper * 100,
        values);
  }
}
