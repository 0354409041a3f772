package dev.cotenant.interference.risk;

import dev.cotenant.interference.risk.Terms.Level;
import dev.cotenant.learning.linear.PositiveDefinite;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Fits the prior deviations of effects to measurements: the largest posterior density under the
 * marginal likelihood and a log-normal prior of each deviation.
 */
public final class DeviationFit {
  /*
   * Gradient of the logarithm of the likelihood with respect to log λ_e: λ_e² tr((αα' − K⁻¹) C_e)
   * with α = K⁻¹y and C_e the covariance of an effect of unit variance. The ascent is by signs
   * (Rprop): steps of each parameter grow while its sign stays, and halve when it turns, so that no
   * scale is needed. O(iterations · rows³); a sample of the rows is enough.
   */
  private static final double CENTRE = 0.03;
  private static final double LOG_DEVIATION = 1;
  private static final double FIRST_STEP = 0.2;
  private static final double MAX_STEP = 0.5;
  private static final double GROWTH = 1.2;
  private static final double SHRINKAGE = 0.5;
  private static final double JITTER = 1e-7;

  private final List<Effect> effects = Deviations.fitted();
  private final double[] values;
  private final double[] noise;
  private final double[][][] covariances;

  /**
   * How it is fitted.
   *
   * @param rows at most so many measurements, drawn once
   * @param iterations steps of the ascent
   * @param seed of the draw
   */
  public record Settings(int rows, int iterations, long seed) {
    /** Settings of this project's own fits; a fit of 600 rows takes some two seconds. */
    public static final Settings DEFAULT = new Settings(600, 30, 1);
  }

  private DeviationFit(List<SpeedMeasurement> sample, UsageScale scale) {
    int n = sample.size();
    values = sample.stream().mapToDouble(SpeedMeasurement::logSpeed).toArray();
    noise = sample.stream().mapToDouble(one -> one.noise() * one.noise()).toArray();
    List<Map<Level, Double>> terms =
        sample.stream().map(one -> Terms.of(one.colocation(), scale)).toList();
    covariances = new double[effects.size()][n][n];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j <= i; j++) {
        addCovariance(terms, i, j);
      }
    }
  }

  private void addCovariance(List<Map<Level, Double>> terms, int i, int j) {
    Map<Level, Double> other = terms.get(j);
    terms
        .get(i)
        .forEach((level, amount) -> {
          Double same = other.get(level);
          if (same != null) {
            int effect = effects.indexOf(level.effect().fitted());
            covariances[effect][i][j] += amount * same;
          }
        });
  }

  /**
   * The deviations.
   *
   * @param measured at least one measurement, of pairs or of larger sets
   * @throws IllegalArgumentException without measurements
   */
  public static Deviations fit(
      List<SpeedMeasurement> measured, UsageScale scale, Settings settings) {
    if (measured.isEmpty()) {
      throw new IllegalArgumentException("deviations are fitted to at least one measurement");
    }
    return new DeviationFit(sample(measured, settings), scale).ascend(settings.iterations());
  }

  private static List<SpeedMeasurement> sample(List<SpeedMeasurement> all, Settings settings) {
    if (all.size() <= settings.rows()) {
      return all;
    }
    Random random = new Random(settings.seed());
    int[] order = new int[all.size()];
    Arrays.setAll(order, i -> i);
    for (int i = 0; i < settings.rows(); i++) {
      int chosen = i + random.nextInt(order.length - i);
      int swapped = order[i];
      order[i] = order[chosen];
      order[chosen] = swapped;
    }
    return Arrays.stream(order, 0, settings.rows()).sorted().mapToObj(all::get).toList();
  }

  private Deviations ascend(int iterations) {
    double[] logs = new double[effects.size()];
    double[] steps = new double[logs.length];
    double[] before = new double[logs.length];
    Arrays.fill(logs, Math.log(CENTRE));
    Arrays.fill(steps, FIRST_STEP);
    for (int iteration = 0; iteration < iterations; iteration++) {
      double[] gradient = gradient(logs);
      for (int e = 0; e < logs.length; e++) {
        double turn = gradient[e] * before[e];
        steps[e] =
            turn > 0
                ? Math.min(MAX_STEP, GROWTH * steps[e])
                : turn < 0 ? SHRINKAGE * steps[e] : steps[e];
        logs[e] += Math.signum(gradient[e]) * steps[e];
      }
      before = gradient;
    }
    Map<Effect, Double> fitted = new EnumMap<>(Effect.class);
    for (int e = 0; e < logs.length; e++) {
      fitted.put(effects.get(e), Math.exp(logs[e]));
    }
    return new Deviations(fitted);
  }

  private double[] gradient(double[] logs) {
    double[][] inverse = covariance(logs).inverse();
    double[] alpha = new double[values.length];
    for (int i = 0; i < alpha.length; i++) {
      alpha[i] = PositiveDefinite.dot(inverse[i], values);
    }
    double[] gradient = new double[logs.length];
    for (int e = 0; e < logs.length; e++) {
      double trace = 0;
      for (int i = 0; i < alpha.length; i++) {
        double[] row = covariances[e][i];
        for (int j = 0; j < i; j++) {
          trace += 2 * row[j] * (alpha[i] * alpha[j] - inverse[i][j]);
        }
        trace += row[i] * (alpha[i] * alpha[i] - inverse[i][i]);
      }
      gradient[e] =
          Math.exp(2 * logs[e]) * trace
              - (logs[e] - Math.log(CENTRE)) / (LOG_DEVIATION * LOG_DEVIATION);
    }
    return gradient;
  }

  private PositiveDefinite covariance(double[] logs) {
    double[][] lower = new double[values.length][values.length];
    for (int i = 0; i < values.length; i++) {
      for (int e = 0; e < logs.length; e++) {
        double variance = Math.exp(2 * logs[e]);
        for (int j = 0; j <= i; j++) {
          lower[i][j] += variance * covariances[e][i][j];
        }
      }
      lower[i][i] += noise[i] + JITTER;
    }
    return PositiveDefinite.of(lower).orElseThrow();
  }
}
