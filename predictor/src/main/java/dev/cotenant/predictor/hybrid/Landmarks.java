package dev.cotenant.predictor.hybrid;

import dev.cotenant.learning.linear.Standardisation;
import java.util.Arrays;

/**
 * Runs that stand for all measured ones, in standardised covariates, and the distance of a question
 * from the nearest.
 *
 * <p>Landmarks are chosen by farthest-point traversal [Gonzalez, "Clustering to minimize the
 * maximum intercluster distance", 1985]: the distance of a measured run to the nearest landmark is
 * at most about that between landmarks. Immutable.
 */
final class Landmarks {
  /**
   * A covariate that hardly varies in training is not divided by less than this: a third in its
   * logarithm is a difference that counts.
   */
  private static final double MIN_SCALE = 0.3;

  private static final double NEARLY_ALL = 0.95;

  private final float[] centre;
  private final float[] scale;
  private final float[][] points;
  private final double spacing;

  /** The transposed points: coordinates by covariate. */
  private final float[][] coordinates;

  Landmarks(float[] centre, float[] scale, float[][] points, double spacing) {
    this.centre = centre;
    this.scale = scale;
    this.points = points;
    this.spacing = spacing;
    coordinates = new float[centre.length][points.length];
    for (int k = 0; k < centre.length; k++) {
      for (int i = 0; i < points.length; i++) {
        coordinates[k][i] = points[i][k];
      }
    }
  }

  /** At most {@code most} of these vectors, at least one. */
  static Landmarks of(float[][] vectors, int most) {
    Standardisation shape = Standardisation.of(vectors);
    int width = vectors[0].length;
    float[] centre = new float[width];
    float[] scale = new float[width];
    for (int k = 0; k < width; k++) {
      centre[k] = (float) shape.means()[k];
      scale[k] = (float) Math.max(MIN_SCALE, shape.deviations()[k]);
    }
    float[][] standard = new float[vectors.length][];
    for (int i = 0; i < vectors.length; i++) {
      standard[i] = standardised(vectors[i], centre, scale);
    }
    return farthest(centre, scale, standard, most);
  }

  private static Landmarks farthest(float[] centre, float[] scale, float[][] standard, int most) {
    double[] distances = new double[standard.length];
    Arrays.fill(distances, Double.POSITIVE_INFINITY);
    float[][] chosen = new float[Math.min(most, standard.length)][];
    int count = 0;
    int next = 0;
    double farthest = Double.POSITIVE_INFINITY;
    while (count < chosen.length && farthest > 0) {
      chosen[count++] = standard[next];
      farthest = 0;
      int last = next;
      for (int i = 0; i < standard.length; i++) {
        distances[i] = Math.min(distances[i], squaredDistance(standard[i], standard[last]));
        if (distances[i] > farthest) {
          farthest = distances[i];
          next = i;
        }
      }
    }
    float[][] points = Arrays.copyOf(chosen, count);
    return new Landmarks(centre, scale, points, spacing(points));
  }

  /**
   * Distance to the nearest landmark, as a high quantile over all landmarks; 0 for a single
   * landmark.
   */
  private static double spacing(float[][] points) {
    double[] nearest = new double[points.length];
    Arrays.fill(nearest, Double.POSITIVE_INFINITY);
    for (int a = 0; a < points.length; a++) {
      for (int b = 0; b < points.length; b++) {
        nearest[a] =
            a == b ? nearest[a] : Math.min(nearest[a], squaredDistance(points[a], points[b]));
      }
    }
    Arrays.sort(nearest);
    double most = nearest[(int) (NEARLY_ALL * (nearest.length - 1))];
    return points.length < 2 ? 0 : Math.sqrt(most);
  }

  private static float[] standardised(float[] vector, float[] centre, float[] scale) {
    float[] standard = new float[centre.length];
    for (int k = 0; k < standard.length; k++) {
      standard[k] = (vector[k] - centre[k]) / scale[k];
    }
    return standard;
  }

  /**
   * Squared distances of a question from each landmark, in standard deviations squared.
   *
   * @param vector what is beyond the landmarks' own values is not looked at
   */
  float[] squaredDistances(float[] vector) {
    return squaredDistancesOf(standardised(vector, centre, scale));
  }

  /** Squared distances of a landmark from each landmark. */
  float[] squaredDistancesFrom(int landmark) {
    return squaredDistancesOf(points[landmark]);
  }

  /** Covariate by covariate: a loop over landmarks that the processor does eight at a time. */
  private float[] squaredDistancesOf(float[] standard) {
    float[] distances = new float[points.length];
    for (int k = 0; k < standard.length; k++) {
      float value = standard[k];
      float[] others = coordinates[k];
      for (int i = 0; i < distances.length; i++) {
        float difference = value - others[i];
        distances[i] += difference * difference;
      }
    }
    return distances;
  }

  private static float squaredDistance(float[] a, float[] b) {
    float sum = 0;
    for (int k = 0; k < a.length; k++) {
      float difference = a[k] - b[k];
      sum += difference * difference;
    }
    return sum;
  }

  /** What nearly all landmarks have another one within, in standard deviations. */
  double spacing() {
    return spacing;
  }

  int count() {
    return points.length;
  }

  float[] centre() {
    return centre;
  }

  float[] scale() {
    return scale;
  }

  float[][] points() {
    return points;
  }
}
