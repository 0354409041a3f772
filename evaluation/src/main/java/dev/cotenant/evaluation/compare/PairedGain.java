package dev.cotenant.evaluation.compare;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * By how much one model's error is below another's on the same draws, as a 95 % interval of the
 * mean; above 0 where ours is better.
 *
 * <p>Percentile bootstrap over draws [Efron, "Bootstrap Methods", 1979]: draws are resampled with
 * replacement, each keeping both errors together. Draws share one population of rows, so the
 * interval is about other draws from it, not about other populations.
 *
 * @param lower 2.5th percentile of the resampled means
 * @param upper 97.5th percentile
 */
record PairedGain(double lower, double upper) {
  private static final int RESAMPLES = 10_000;
  private static final double TAIL = 0.025;

  /** The gain from one difference a draw, at least one. */
  static PairedGain of(double[] differences, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[] means = new double[RESAMPLES];
    for (int resample = 0; resample < RESAMPLES; resample++) {
      double sum = 0;
      for (int i = 0; i < differences.length; i++) {
        sum += differences[random.nextInt(differences.length)];
      }
      means[resample] = sum / differences.length;
    }
    Arrays.sort(means);
    int tail = (int) Math.round(TAIL * RESAMPLES);
    return new PairedGain(means[tail], means[RESAMPLES - 1 - tail]);
  }
}
