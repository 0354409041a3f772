package dev.cotenant.simulator.policy;

import dev.cotenant.learning.quantile.Normal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Risks of slowdown learned from measured pairs: the logarithm of a job's speed beside another over
 * its speed alone is normal with a mean that configurations that recur learn.
 *
 * <p>Prior: two jobs whose utilizations add up to u slow each other by max(1, u). Its deviations
 * are stated, not fitted: the size of effects a few percent, so that a new pair of little
 * utilization has a risk of 15 % at a limit of 1.15.
 */
final class PairMemory {
  /*
   * log speed = prior mean + shape · features + victim effect + aggressor effect + cell + noise, all
   * normal: a mixed-effects model. Cells (ordered pairs) are independent given the weights, so that
   * the weights w have the information matrix A = Σ φ φᵀ / (cell² + noise²/n), and a cell's estimate
   * is the weighted mean of its measurements and of φᵀw. A repeated measurement adds the difference
   * of its cell's information, by a rank-1 update of A⁻¹: exact and O(d²) with d = 4 + 2 ·
   * configurations. A configuration that came once has no effect of its own; its variance is noise.
   *
   * Beside several jobs v + Σ (s + a + c): shapes, aggressor effects and cells add up, the victim's
   * effect v counts once. A cell takes the share k = weight · cell² of what its measurements are
   * beyond v + s + a, so that the sum is (1 − Σ k) v + Σ (1 − k) (s + a) + Σ k · mean, whose weights
   * have the joint covariance A⁻¹.
   */
  private static final int SHAPES = 4;
  private static final double SHAPE = 0.1;
  private static final double EFFECT = 0.06;
  private static final double CELL = 0.08;

  /** Deviation of a speed measured for some minutes [sharing study, section 2]. */
  private static final double NOISE = 0.03;

  private final Map<String, Integer> levels = new HashMap<>();
  private final Map<Pair, Cell> cells = new HashMap<>();
  private double[][] covariance = new double[SHAPES][SHAPES];
  private double[] information = new double[SHAPES];
  private double[] weights = new double[SHAPES];

  PairMemory() {
    for (int i = 0; i < SHAPES; i++) {
      covariance[i][i] = SHAPE * SHAPE;
    }
  }

  /**
   * A job.
   *
   * @param configuration its configuration
   * @param utilization share of time with a kernel running when alone, 0 to 1
   */
  record Member(String configuration, double utilization) {}

  private record Pair(String own, String other) {}

  /** Measurements of an ordered pair, as differences to the prior mean. */
  private static final class Cell {
    private int count;
    private double sum;

    double weight() {
      return count == 0 ? 0 : 1 / (CELL * CELL + NOISE * NOISE / count);
    }

    double mean() {
      return count == 0 ? 0 : sum / count;
    }
  }

  /** Non-zero features of a job beside others, with the variance of effects that have no weight. */
  private static final class Features {
    private final int[] indices;
    private final double[] values;
    private int size = SHAPES;
    private double unlearned;

    Features(int others) {
      indices = new int[SHAPES + 1 + others];
      values = new double[indices.length];
      for (int i = 0; i < SHAPES; i++) {
        indices[i] = i;
      }
    }

    void shapes(double weight, double own, double other) {
      values[0] += weight * other;
      values[1] += weight * other * other;
      values[2] += weight * own * other;
      values[3] += weight * Math.max(0, own + other - 1);
    }

    /**
     * @param slot 0 as a victim, 1 as an aggressor
     * @param alike how many of the sum are this very effect
     */
    void effect(int slot, @Nullable Integer level, double weight, long alike) {
      if (level == null) {
        unlearned += EFFECT * EFFECT * alike;
      } else {
        indices[size] = SHAPES + 2 * level + slot;
        values[size] = weight;
        size++;
      }
    }
  }

  /** A configuration came again: its effects are worth learning. */
  void recurs(String configuration) {
    if (levels.putIfAbsent(configuration, levels.size()) != null) {
      return;
    }
    int size = weights.length + 2;
    covariance = Arrays.copyOf(covariance, size);
    for (int i = 0; i < size; i++) {
      covariance[i] = i < size - 2 ? Arrays.copyOf(covariance[i], size) : new double[size];
    }
    covariance[size - 2][size - 2] = EFFECT * EFFECT;
    covariance[size - 1][size - 1] = EFFECT * EFFECT;
    information = Arrays.copyOf(information, size);
    weights = Arrays.copyOf(weights, size);
  }

  boolean isRecurring(String configuration) {
    return levels.containsKey(configuration);
  }

  /**
   * Learns from a measurement.
   *
   * @param speed of a job beside one other over its speed alone, positive
   */
  void remember(Member own, Member other, double speed) {
    Features features = features(own, List.of(other), new double[1]);
    double value = StrictMath.log(speed) - priorMean(own.utilization() + other.utilization());
    if (features.unlearned > 0) {
      double variance = CELL * CELL + NOISE * NOISE + features.unlearned;
      add(features, 1 / variance, value / variance);
      return;
    }
    Cell cell =
        cells.computeIfAbsent(
            new Pair(own.configuration(), other.configuration()), _ -> new Cell());
    double weightBefore = cell.weight();
    double informationBefore = weightBefore * cell.mean();
    cell.count++;
    cell.sum += value;
    add(features, cell.weight() - weightBefore, cell.weight() * cell.mean() - informationBefore);
  }

  /** Adds to the information matrix and to the information of the weights. */
  private void add(Features features, double weight, double weighted) {
    update(features, weight);
    for (int k = 0; k < features.size; k++) {
      information[features.indices[k]] += features.values[k] * weighted;
    }
    for (int i = 0; i < weights.length; i++) {
      weights[i] = 0;
      for (int j = 0; j < weights.length; j++) {
        weights[i] += covariance[i][j] * information[j];
      }
    }
  }

  /** Sherman and Morrison. */
  private void update(Features features, double added) {
    int size = weights.length;
    double[] gain = new double[size];
    for (int k = 0; k < features.size; k++) {
      double[] row = covariance[features.indices[k]];
      for (int i = 0; i < size; i++) {
        gain[i] += features.values[k] * row[i];
      }
    }
    double scale = added / (1 + added * dot(features, gain));
    for (int i = 0; i < size; i++) {
      for (int j = 0; j < size; j++) {
        covariance[i][j] -= scale * gain[i] * gain[j];
      }
    }
  }

  /**
   * The probability that a job beside others is slowed by more than a limit; logarithms of speeds
   * beside several add up.
   */
  double risk(Member own, List<Member> others, double limit) {
    double[] shares = new double[others.size()];
    double sum = own.utilization();
    double mean = 0;
    double variance = 0;
    for (int i = 0; i < shares.length; i++) {
      Member other = others.get(i);
      sum += other.utilization();
      Cell cell = cells.get(new Pair(own.configuration(), other.configuration()));
      shares[i] = cell == null ? 0 : cell.weight() * CELL * CELL;
      mean += cell == null ? 0 : shares[i] * cell.mean();
      variance += (1 - shares[i]) * CELL * CELL * alike(other, others);
    }
    Features features = features(own, others, shares);
    mean += dot(features, weights);
    variance += variance(features) + features.unlearned;
    double excess = -StrictMath.log(limit) - priorMean(sum) - mean;
    return Normal.below(excess / Math.sqrt(variance));
  }

  /**
   * @param shares of each pair's measurements in the estimate of its cell
   */
  private Features features(Member own, List<Member> others, double[] shares) {
    Features features = new Features(others.size());
    double left = 1;
    for (int i = 0; i < shares.length; i++) {
      Member other = others.get(i);
      features.shapes(1 - shares[i], own.utilization(), other.utilization());
      Integer level = levels.get(other.configuration());
      features.effect(1, level, 1 - shares[i], alike(other, others));
      left -= shares[i];
    }
    features.effect(0, levels.get(own.configuration()), left, 1);
    return features;
  }

  /** How many of the others share the effects of one. */
  private static long alike(Member one, List<Member> others) {
    return others.stream()
        .filter(other -> other.configuration().equals(one.configuration()))
        .count();
  }

  private double variance(Features features) {
    double variance = 0;
    for (int k = 0; k < features.size; k++) {
      double[] row = covariance[features.indices[k]];
      variance += features.values[k] * dot(features, row);
    }
    return variance;
  }

  private static double dot(Features features, double[] vector) {
    double sum = 0;
    for (int k = 0; k < features.size; k++) {
      sum += features.values[k] * vector[features.indices[k]];
    }
    return sum;
  }

  private static double priorMean(double summedUtilization) {
    return -StrictMath.log(Math.max(1, summedUtilization));
  }
}
