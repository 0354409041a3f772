package dev.cotenant.engine.lifecycle;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.correct.CorrectedTarget;
import dev.cotenant.predictor.correct.CorrectedTarget.LogBounds;
import dev.cotenant.predictor.model.FeaturePredictor;
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
 * @param upperLoss mean pinball loss of the upper bound at 0.9: of a bound that is passed 0.9 times
 *     by how much, of another 0.1 times how far it lies above
 * @param belowUpper share of values at or below the upper bound
 */
public record HeldOutScore(int values, double rmsle, double upperLoss, double belowUpper) {
  /** Fewer decide nothing. */
  static final int MIN_VALUES = 4;

  private static final double LEVEL = 0.9;

  /** Of these rows. */
  public static HeldOutScore of(
      FeaturePredictor predictor, List<ProfileRow> rows, DeviceCatalogue devices) {
    int values = 0;
    double squares = 0;
    double loss = 0;
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
          double above = measured.getAsDouble() - bounds.upper();
          loss += Math.max(LEVEL * above, (LEVEL - 1) * above);
          below += above <= 0 ? 1 : 0;
          values++;
        }
      }
    }
    return values == 0
        ? new HeldOutScore(0, 0, 0, 0)
        : new HeldOutScore(
            values, Math.sqrt(squares / values), loss / values, (double) below / values);
  }

  /** Whether there is enough to judge by. */
  public boolean isJudged() {
    return values >= MIN_VALUES;
  }

  /**
   * Whether estimates are nearer and bounds no worse. Bounds are compared by a proper score: a
   * share of a few dozen values says too little, and is had for nothing by a bound of 100 %.
   */
  public boolean beats(HeldOutScore other) {
    return isJudged() && rmsle < other.rmsle && upperLoss <= other.upperLoss;
  }

  /** As metrics of a version. */
  Map<String, Double> asMetrics() {
    return Map.of(
        "held_out_values", (double) values,
        "held_out_rmsle", rmsle,
        "held_out_upper_loss", upperLoss,
        "held_out_below_upper", belowUpper);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "RMSLE %.4f, loss of the upper bound %.4f, %.0f %% below it, %d values",
        rmsle,
        upperLoss,
        belowUpper * 100,
        values);
  }
}
