package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.learning.linear.LeastSquares;
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
    double mean = mean(rows, target);
    return LeastSquares.linear(
            rows.stream()
                .map(row -> new double[] {number.applyAsDouble(row), 1})
                .toArray(double[][]::new),
            rows.stream().mapToDouble(target::plainLogOf).toArray())
        .<Competitor.Regression>map(line -> row -> line[0] * number.applyAsDouble(row) + line[1])
        .orElse(row -> mean);
  }
}
