package dev.cotenant.predictor.hybrid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LandmarksTest {
  private static float[][] cloud(int count) {
    Random random = new Random(5);
    float[][] vectors = new float[count][3];
    for (float[] vector : vectors) {
      for (int k = 0; k < vector.length; k++) {
        vector[k] = (float) random.nextGaussian(10 * k, 1 + k);
      }
    }
    return vectors;
  }

  @Test
  void takesEveryRunWhereThereAreFew() {
    Landmarks landmarks = Landmarks.of(cloud(20), 50);
    assertThat(landmarks.count()).isEqualTo(20);
  }

  @Test
  void doesNotTakeTheSameRunTwice() {
    float[][] vectors = new float[40][];
    Arrays.fill(vectors, new float[] {1, 2, 3});
    Landmarks landmarks = Landmarks.of(vectors, 10);
    assertThat(landmarks.count()).isEqualTo(1);
    assertThat(landmarks.spacing()).isZero();
  }

  /** Farthest-point traversal: no run lies farther from a landmark than they lie apart. */
  @Test
  void leavesNoRunFarFromALandmark() {
    float[][] vectors = cloud(500);
    Landmarks landmarks = Landmarks.of(vectors, 30);
    double apart = Double.POSITIVE_INFINITY;
    for (int a = 0; a < landmarks.count(); a++) {
      float[] distances = landmarks.squaredDistancesFrom(a);
      distances[a] = Float.POSITIVE_INFINITY;
      apart = Math.min(apart, nearest(distances));
    }
    for (float[] vector : vectors) {
      assertThat(nearest(landmarks.squaredDistances(vector))).isLessThanOrEqualTo(apart + 1e-6);
    }
  }

  private static double nearest(float[] distances) {
    double nearest = Double.POSITIVE_INFINITY;
    for (float distance : distances) {
      nearest = Math.min(nearest, distance);
    }
    return nearest;
  }

  @Test
  void smoothCorrectionFollowsASmoothFunctionAndEndsFarAway() {
    float[][] vectors = cloud(500);
    double[] values = new double[vectors.length];
    double[] alike = new double[vectors.length];
    for (int i = 0; i < vectors.length; i++) {
      values[i] = 0.2 * Math.sin(vectors[i][0] / 3) + 0.1 * vectors[i][1] / 10;
      alike[i] = 1;
    }
    Landmarks landmarks = Landmarks.of(vectors, 100);
    float[] heights = SmoothCorrection.fit(landmarks, vectors, values, alike);
    double squares = 0;
    for (int i = 0; i < vectors.length; i++) {
      squares += Math.pow(at(landmarks, heights, vectors[i]) - values[i], 2) / vectors.length;
    }
    assertThat(Math.sqrt(squares)).isLessThan(0.02);
    assertThat(at(landmarks, heights, new float[] {900, 900, 900})).isCloseTo(0, within(1e-9));
  }

  private static double at(Landmarks landmarks, float[] heights, float[] vector) {
    float[] distances = landmarks.squaredDistances(vector);
    double sum = 0;
    for (int i = 0; i < heights.length; i++) {
      sum += heights[i] * SmoothCorrection.bump(distances[i]);
    }
    return sum;
  }
}
