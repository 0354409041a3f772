package dev.cotenant.interference.evaluate;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleBinaryOperator;

/** Pairs of what was measured and what was predicted. */
final class Scores {
  private final List<double[]> pairs = new ArrayList<>();

  void add(double actual, double predicted) {
    pairs.add(new double[] {actual, predicted});
  }

  void addAll(Scores more) {
    pairs.addAll(more.pairs);
  }

  int size() {
    return pairs.size();
  }

  double mean(DoubleBinaryOperator score) {
    return pairs.stream()
        .mapToDouble(pair -> score.applyAsDouble(pair[0], pair[1]))
        .average()
        .orElseThrow();
  }

  double relativeQuantile(double fraction) {
    double[] errors = pairs.stream().mapToDouble(p -> relative(p[0], p[1])).sorted().toArray();
    return quantile(errors, fraction);
  }

  /** Of sorted values, linear between them. */
  static double quantile(double[] sorted, double fraction) {
    double place = fraction * (sorted.length - 1);
    int below = (int) Math.floor(place);
    int above = Math.min(sorted.length - 1, below + 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  }

  static double relative(double actual, double predicted) {
    return Math.abs(predicted / actual - 1);
  }

  static double absolute(double actual, double predicted) {
    return Math.abs(predicted - actual);
  }

  static double held(double actual, double bound) {
    return actual <= bound ? 1 : 0;
  }

  static double pinball(double actual, double bound, double quantile) {
    return actual >= bound ? quantile * (actual - bound) : (1 - quantile) * (bound - actual);
  }
}
