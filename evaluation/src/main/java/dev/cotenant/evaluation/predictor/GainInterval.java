package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.evaluation.EvaluationRow.Subject;
import java.util.List;
import java.util.stream.Stream;

/** The 95 % interval of a mean gain, normal over draws. */
final class GainInterval {
  /** By how much our RMSLE is below the forest's on the same split. */
  static final String GAIN = "rmsle_gain_over_forest";

  /** From this number of draws on, the mean is approximately normal. */
  private static final int MIN_DRAWS = 30;

  private static final double NORMAL_95 = 1.96;

  private GainInterval() {}

  /** The rows with both ends of the interval after each gain over enough draws. */
  static List<EvaluationRow> added(List<EvaluationRow> rows) {
    return rows.stream().flatMap(GainInterval::added).toList();
  }

  private static Stream<EvaluationRow> added(EvaluationRow row) {
    if (!row.metric().equals(GAIN) || row.seeds() < MIN_DRAWS) {
      return Stream.of(row);
    }
    double margin = NORMAL_95 * row.sd() / Math.sqrt(row.seeds());
    return Stream.of(
        row,
        end(row, "_lower95", row.value() - margin),
        end(row, "_upper95", row.value() + margin));
  }

  private static EvaluationRow end(EvaluationRow row, String suffix, double value) {
    Subject subject = new Subject(row.task(), row.protocol(), row.model(), GAIN + suffix);
    return EvaluationRow.constant(subject, value, row.rows(), row.seeds());
  }
}
