package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.evaluation.Scores;
import dev.cotenant.predictor.model.Target;
import java.util.List;

/**
 * One test row: plain logarithms (log1p of percent, log of MiB) of what was measured and predicted.
 *
 * @param row the run
 */
record RowScore(ProfileRow row, double actual, double predicted) {
  static RowScore of(ProfileRow row, Target target, double predicted) {
    return new RowScore(row, target.plainLogOf(row), predicted);
  }

  static Scores all(List<RowScore> rows) {
    Scores scores = new Scores();
    rows.forEach(row -> scores.add(row.actual, row.predicted));
    return scores;
  }
}
