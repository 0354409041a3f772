package dev.cotenant.benchmarks.predictor;

import java.util.Random;

/** Vectors of 20 features with a target that trees need many splits for. Seeded. */
@SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
record TreeRows(float[][] rows, double[] targets) {
  static final int FEATURES = 20;

  static TreeRows of(int count) {
    Random random = new Random(1);
    float[][] rows = new float[count][FEATURES];
    double[] targets = new double[count];
    for (int row = 0; row < count; row++) {
      for (int feature = 0; feature < FEATURES; feature++) {
        rows[row][feature] = (float) random.nextGaussian();
      }
      float[] x = rows[row];
      targets[row] =
          Math.sin(2 * x[0]) + x[1] * x[2] + Math.abs(x[3]) + 0.1 * random.nextGaussian();
    }
    return new TreeRows(rows, targets);
  }
}
