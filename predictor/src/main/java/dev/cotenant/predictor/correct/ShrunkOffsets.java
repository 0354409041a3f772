package dev.cotenant.predictor.correct;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Mean errors of groups, shrunk towards zero: what an empirical-Bayes estimate with a normal prior
 * gives, at a prior strength that held-out units choose.
 */
final class ShrunkOffsets {
  /*
   * A group's offset is the sum of its units' mean errors over (units + strength): the posterior mean
   * of a normal effect with the prior N(0, s²/strength), s² being the variance of a unit's mean
   * [Efron & Morris, 1975]. A unit is what would come new: a family for the offset of a device, a run for that of a
   * family on a device; each counts once, however many batches of it were measured.
   *
   * Strength is chosen by leaving each unit out in turn. The strongest one, infinite, is no
   * correction, and it wins unless the best other lowers the squared error of left-out units by more
   * than CAUTION standard errors of that gain: a cluster whose rows say nothing gets nothing.
   */
  private static final double[] STRENGTHS = {0.25, 0.5, 1, 2, 4, 8, 16};
  private static final double CAUTION = 1.0;
  private static final int MIN_UNITS = 3;

  private ShrunkOffsets() {}

  /**
   * Offsets by group; empty where none is sure to help.
   *
   * @param group the group of a run
   * @param unit left-out unit within a group; a group with a single unit gives no offset to it when
   *     it is left out
   */
  static Map<String, Double> fit(
      List<Residual> residuals, Function<Residual, String> group, Function<Residual, String> unit) {
    Map<String, List<Double>> groups = unitMeans(residuals, group, unit);
    double best = Double.POSITIVE_INFINITY;
    double leastError = 0;
    for (double strength : STRENGTHS) {
      Gain gain = gain(groups, strength);
      if (gain.isSure() && -gain.mean() < leastError) {
        leastError = -gain.mean();
        best = strength;
      }
    }
    return Double.isInfinite(best) ? Map.of() : offsets(groups, best);
  }

  private static Map<String, List<Double>> unitMeans(
      List<Residual> residuals, Function<Residual, String> group, Function<Residual, String> unit) {
    Map<String, Map<String, List<Double>>> errors = new TreeMap<>();
    for (Residual residual : residuals) {
      errors
          .computeIfAbsent(group.apply(residual), name -> new TreeMap<>())
          .computeIfAbsent(unit.apply(residual), name -> new ArrayList<>())
          .add(residual.error());
    }
    Map<String, List<Double>> means = new TreeMap<>();
    errors.forEach((name, units) ->
        means.put(name, units.values().stream().map(ShrunkOffsets::mean).toList()));
    return means;
  }

  private static double mean(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).average().orElse(0);
  }

  private static double sum(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).sum();
  }

  /** By how much the squared error of left-out units falls, and how sure that is. */
  private record Gain(double mean, double standardError, int units) {
    boolean isSure() {
      return units >= MIN_UNITS && mean > CAUTION * standardError;
    }
  }

  private static Gain gain(Map<String, List<Double>> groups, double strength) {
    List<Double> gains = new ArrayList<>();
    for (List<Double> units : groups.values()) {
      double sum = sum(units);
      for (double error : units) {
        double offset = (sum - error) / (units.size() - 1 + strength);
        gains.add(error * error - (error - offset) * (error - offset));
      }
    }
    double mean = mean(gains);
    double squares = gains.stream().mapToDouble(gain -> (gain - mean) * (gain - mean)).sum();
    int units = gains.size();
    return new Gain(mean, Math.sqrt(squares / Math.max(1, units - 1) / Math.max(1, units)), units);
  }

  private static Map<String, Double> offsets(Map<String, List<Double>> groups, double strength) {
    Map<String, Double> offsets = new TreeMap<>();
    groups.forEach((name, units) -> offsets.put(name, sum(units) / (units.size() + strength)));
    return Collections.unmodifiableMap(offsets);
  }
}
