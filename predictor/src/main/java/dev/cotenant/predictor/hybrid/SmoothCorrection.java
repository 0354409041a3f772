package dev.cotenant.predictor.hybrid;

import dev.cotenant.learning.linear.PositiveDefinite;

/**
 * Fits the weights of Gaussian bumps around landmarks to residuals: a Gaussian process with few
 * inducing points [Quiñonero-Candela and Rasmussen, "A Unifying View of Sparse Approximate Gaussian
 * Process Regression", 2005, section 4: subset of regressors].
 */
final class SmoothCorrection {
  /** Reach of a bump in standard deviations: with some twenty covariates few runs are nearer. */
  private static final double LENGTH = 5;

  /** Variance beyond the bumps over the variance of the bumps. */
  private static final double NOISE_RATIO = 0.1;

  private static final double JITTER = 1e-6;

  private SmoothCorrection() {}

  /** Height of a bump at a squared distance from its landmark. */
  static double bump(float squaredDistance) {
    return Math.exp(-squaredDistance / (2 * LENGTH * LENGTH));
  }

  /** What bumps of these heights add up to at squared distances from their landmarks. */
  static double sum(float[] heights, float[] squaredDistances) {
    float[] parts = new float[heights.length];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = heights[i] * quickBump(squaredDistances[i]);
    }
    double sum = 0;
    for (float part : parts) {
      sum += part;
    }
    return sum;
  }

  // exp(−t) = exp(−t / 64)^64: a polynomial and six squarings, which a processor does for eight
  // landmarks at a time. Right to 2e−5 of a bump; a fit takes the exact one, whose matrices are
  // positive definite.
  private static final float SHARE = (float) (1 / (2 * LENGTH * LENGTH * 64));

  /** Beyond 20 / 64 a bump is less than 1e−8. */
  private static final float MAX_SHARE = 20f / 64;

  private static float quickBump(float squaredDistance) {
    float t = Math.min(SHARE * squaredDistance, MAX_SHARE);
    float power = 1 - t * (1 - t * (1 / 2f - t * (1 / 6f - t * (1 / 24f - t * (1 / 120f)))));
    power *= power;
    power *= power;
    power *= power;
    power *= power;
    power *= power;
    return power * power;
  }

  /**
   * One weight a landmark.
   *
   * @param vectors covariates of the runs, as the landmarks know them
   * @param residuals target sums of the bumps
   * @param weights how much each run counts, above 0; 1 is a run
   */
  static float[] fit(Landmarks landmarks, float[][] vectors, double[] residuals, double[] weights) {
    int count = landmarks.count();
    double[][] normal = new double[count][count];
    double[] right = new double[count];
    for (int i = 0; i < vectors.length; i++) {
      double[] bumps = bumps(landmarks.squaredDistances(vectors[i]));
      for (int a = 0; a < count; a++) {
        double weighted = weights[i] * bumps[a];
        right[a] += weighted * residuals[i];
        for (int b = 0; b <= a; b++) {
          normal[a][b] += weighted * bumps[b];
        }
      }
    }
    addPrior(landmarks, normal);
    double[] solution =
        PositiveDefinite.of(normal)
            .orElseThrow(() -> new IllegalStateException("landmarks that are alike"))
            .solve(right);
    float[] heights = new float[count];
    for (int a = 0; a < count; a++) {
      heights[a] = (float) solution[a];
    }
    return heights;
  }

  private static double[] bumps(float[] squaredDistances) {
    double[] bumps = new double[squaredDistances.length];
    for (int i = 0; i < bumps.length; i++) {
      bumps[i] = bump(squaredDistances[i]);
    }
    return bumps;
  }

  private static void addPrior(Landmarks landmarks, double[][] normal) {
    for (int a = 0; a < normal.length; a++) {
      double[] bumps = bumps(landmarks.squaredDistancesFrom(a));
      for (int b = 0; b <= a; b++) {
        normal[a][b] += NOISE_RATIO * bumps[b];
      }
      normal[a][a] += JITTER;
    }
  }
}
