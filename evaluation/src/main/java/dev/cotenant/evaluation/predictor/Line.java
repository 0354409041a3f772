package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.model.Target;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Least squares of the target's logarithm on one number a row. */
final class Line {
  private Line() {}

  static double mean(List<ProfileRow> rows, Target target) {
    return rows.stream().mapToDouble(target::plainLogOf).average().orElseThrow();
  }

  static Competitor.Regression fit(
      List<ProfileRow> rows, Target target, ToDoubleFunction<ProfileRow> number) {
    double meanX = rows.stream().mapToDouble(number).average().orElseThrow();
    double meanY = mean(rows, target);
    double covariance = 0;
    double variance = 0;
    for (ProfileRow row : rows) {
      double dx = number.applyAsDouble(row) - meanX;
      covariance += dx * (target.plainLogOf(row) - meanY);
      variance += dx * dx;
    }
    double slope = variance > 0 ? covariance / variance : 0;
    double intercept = meanY - slope * meanX;
    return row -> intercept + slope * number.applyAsDouble(row);
  }
}
