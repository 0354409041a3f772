package dev.cotenant.evaluation.pairs;

import dev.cotenant.learning.linear.GaussianProcess;
import java.util.ArrayList;
import java.util.List;

/**
 * How alike the slowdowns of two situations are, and how noisy one measurement is.
 *
 * @param linear variance of each coefficient of standardised contention
 * @param alike variance of what situations with alike times and shares have in common
 * @param pair variance of what situations of the same two models have in common beyond that
 * @param noise variance of one measurement
 */
record PairCovariance(double linear, double alike, double pair, double noise) {
  /*
   * Covariance = linear·z·z' over standardised contention (close to a ridge regression)
   *            + alike·k over (ln t_own, ln t_other, ln share): alike workloads suffer alike
   *            + pair·[same two models]·k over (ln b_own, ln share, ln b_other) + noise,
   * k squared-exponential with scale 1, of ln share 0.7. The variances are those of largest marginal
   * likelihood on the rows that are learned from, from a small grid; of many rows, every so-manieth
   * decides, O(grid·ROWS³).
   */
  private static final double SHARE_SCALE = 0.7;
  private static final double[] LINEAR = {1e-5, 4e-5, 16e-5};
  private static final double[] ALIKE_DEVIATIONS = {0.01, 0.02, 0.04};
  private static final double[] PAIR_DEVIATIONS = {0.015, 0.03, 0.06};
  private static final double[] NOISE_DEVIATIONS = {0.01, 0.02, 0.03};
  private static final int ROWS = 160;

  /** A situation with its contention standardised. */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
  record PairPoint(PairSituation situation, double[] contention) {}

  /** Between two situations, without noise. */
  double between(PairPoint a, PairPoint b) {
    return linear * dot(a, b) + alike * alike(a, b) + pair * pair(a, b);
  }

  /** What fits these targets best, the first of equals. */
  static PairCovariance likeliest(List<PairPoint> places, double[] targets, double mean) {
    int step = Math.ceilDiv(places.size(), ROWS);
    List<PairPoint> some = new ArrayList<>();
    for (int i = 0; i < places.size(); i += step) {
      some.add(places.get(i));
    }
    double[] theirs = new double[some.size()];
    for (int i = 0; i < theirs.length; i++) {
      theirs[i] = targets[i * step];
    }
    Search search = new Search(some, theirs, mean);
    for (double linear : LINEAR) {
      for (double alike : ALIKE_DEVIATIONS) {
        for (double pair : PAIR_DEVIATIONS) {
          for (double noise : NOISE_DEVIATIONS) {
            search.attempt(new PairCovariance(linear, alike * alike, pair * pair, noise * noise));
          }
        }
      }
    }
    return search.best;
  }

  /** The kernels are taken once, for every candidate weighs the same three. */
  private static final class Search {
    private final double[][] dots;
    private final double[][] alikes;
    private final double[][] pairs;
    private final double[] targets;
    private final double mean;
    private double likelihood = Double.NEGATIVE_INFINITY;
    private PairCovariance best = new PairCovariance(LINEAR[1], 4e-4, 9e-4, 4e-4);

    Search(List<PairPoint> places, double[] targets, double mean) {
      int n = places.size();
      dots = new double[n][n];
      alikes = new double[n][n];
      pairs = new double[n][n];
      for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
          dots[i][j] = dot(places.get(i), places.get(j));
          alikes[i][j] = alike(places.get(i), places.get(j));
          pairs[i][j] = pair(places.get(i), places.get(j));
        }
      }
      this.targets = targets;
      this.mean = mean;
    }

    void attempt(PairCovariance candidate) {
      double[][] matrix = new double[targets.length][];
      for (int i = 0; i < matrix.length; i++) {
        matrix[i] = new double[i + 1];
        for (int j = 0; j <= i; j++) {
          matrix[i][j] =
              candidate.linear * dots[i][j]
                  + candidate.alike * alikes[i][j]
                  + candidate.pair * pairs[i][j];
        }
        matrix[i][i] += candidate.noise;
      }
      double found =
          GaussianProcess.fit(matrix, targets, mean)
              .map(GaussianProcess::logLikelihood)
              .orElse(Double.NEGATIVE_INFINITY);
      if (found > likelihood) {
        likelihood = found;
        best = candidate;
      }
    }
  }

  private static double dot(PairPoint a, PairPoint b) {
    double sum = 0;
    for (int i = 0; i < a.contention.length; i++) {
      sum += a.contention[i] * b.contention[i];
    }
    return sum;
  }

  private static double alike(PairPoint a, PairPoint b) {
    double share = (a.situation.logShare() - b.situation.logShare()) / SHARE_SCALE;
    double own = a.situation.logOwnMillis() - b.situation.logOwnMillis();
    double other = a.situation.logOtherMillis() - b.situation.logOtherMillis();
    return Math.exp(-(own * own + other * other + share * share) / 2);
  }

  private static double pair(PairPoint a, PairPoint b) {
    if (!a.situation.models().equals(b.situation.models())) {
      return 0;
    }
    double share = (a.situation.logShare() - b.situation.logShare()) / SHARE_SCALE;
    double own = a.situation.logOwnBatch() - b.situation.logOwnBatch();
    double other = a.situation.logOtherBatch() - b.situation.logOtherBatch();
    return Math.exp(-(own * own + other * other + share * share) / 2);
  }
}
