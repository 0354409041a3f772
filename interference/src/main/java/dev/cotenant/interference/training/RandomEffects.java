package dev.cotenant.interference.training;

import dev.cotenant.interference.fit.Cholesky;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Linear regression with random effects: a level that was seen shifts the answer, one that was not
 * leaves what all have in common.
 *
 * <p>Mean and standard deviation come from the normal equations with a prior on every coefficient.
 */
final class RandomEffects {
  /*
   * y = Σ x_j β_j + Σ_groups effect(level) + noise, β_j ~ N(0, s_j²), effects ~ N(0, s_group²). The
   * posterior mean is ridge regression with the penalty noise²/s² of each column; its covariance is
   * noise²·(X'X + penalty)⁻¹. Rows are sparse (fixed columns and one per group), so filling the normal
   * equations costs O(rows·used²) and solving them O(columns³) by Cholesky.
   */
  private final Map<String, Integer> columns;
  private final double[][] lower;
  private final double[] coefficients;
  private final Priors priors;

  private RandomEffects(
      Map<String, Integer> columns, double[][] lower, double[] coefficients, Priors priors) {
    this.columns = columns;
    this.lower = lower;
    this.coefficients = coefficients;
    this.priors = priors;
  }

  /**
   * Standard deviations, in the target's unit.
   *
   * @param fixed of each fixed coefficient
   * @param groups of the effects of each group
   * @param noise of one measurement
   */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
  record Priors(double[] fixed, double[] groups, double noise) {}

  /**
   * One row.
   *
   * @param fixed one number a fixed column
   * @param levels the level of each group
   */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
  record Row(double[] fixed, List<String> levels) {}

  /** Empty when the equations are singular. */
  static Optional<RandomEffects> fit(List<Row> rows, double[] targets, Priors priors) {
    Map<String, Integer> columns = new HashMap<>();
    List<Double> penalties = new ArrayList<>();
    double noise = priors.noise() * priors.noise();
    for (double deviation : priors.fixed()) {
      penalties.add(noise / (deviation * deviation));
    }
    for (Row row : rows) {
      for (int group = 0; group < row.levels().size(); group++) {
        String key = key(group, row);
        if (!columns.containsKey(key)) {
          columns.put(key, penalties.size());
          penalties.add(noise / (priors.groups()[group] * priors.groups()[group]));
        }
      }
    }
    int size = penalties.size();
    double[][] normal = new double[size][size];
    double[] right = new double[size];
    for (int i = 0; i < size; i++) {
      normal[i][i] = penalties.get(i);
    }
    for (int i = 0; i < rows.size(); i++) {
      Sparse sparse = Sparse.of(rows.get(i), columns);
      sparse.addTo(normal, right, targets[i]);
    }
    if (!Cholesky.factor(normal)) {
      return Optional.empty();
    }
    Cholesky.forward(normal, right);
    Cholesky.backward(normal, right);
    return Optional.of(new RandomEffects(columns, normal, right, priors));
  }

  private static String key(int group, Row row) {
    return group + "/" + row.levels().get(group);
  }

  double mean(Row row) {
    Sparse sparse = Sparse.of(row, columns);
    double sum = 0;
    for (int i = 0; i < sparse.places().length; i++) {
      sum += sparse.values()[i] * coefficients[sparse.places()[i]];
    }
    return sum;
  }

  /** Of one measurement; levels that were not seen add their whole prior. */
  double deviation(Row row) {
    Sparse sparse = Sparse.of(row, columns);
    double[] vector = new double[coefficients.length];
    for (int i = 0; i < sparse.places().length; i++) {
      vector[sparse.places()[i]] += sparse.values()[i];
    }
    Cholesky.forward(lower, vector);
    double noise = priors.noise() * priors.noise();
    double variance = noise;
    for (double value : vector) {
      variance += noise * value * value;
    }
    for (int group = 0; group < row.levels().size(); group++) {
      if (!columns.containsKey(key(group, row))) {
        variance += priors.groups()[group] * priors.groups()[group];
      }
    }
    return Math.sqrt(variance);
  }

  /** The coefficients of the fixed columns. */
  double[] fixed() {
    return java.util.Arrays.copyOf(coefficients, priors.fixed().length);
  }

  /** The columns that a row touches. */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
  private record Sparse(int[] places, double[] values) {
    static Sparse of(Row row, Map<String, Integer> columns) {
      int fixed = row.fixed().length;
      int[] places = new int[fixed + row.levels().size()];
      double[] values = new double[places.length];
      for (int i = 0; i < fixed; i++) {
        places[i] = i;
        values[i] = row.fixed()[i];
      }
      for (int group = 0; group < row.levels().size(); group++) {
        Integer column = columns.get(key(group, row));
        places[fixed + group] = column == null ? 0 : column;
        values[fixed + group] = column == null ? 0 : 1;
      }
      return new Sparse(places, values);
    }

    void addTo(double[][] normal, double[] right, double target) {
      for (int i = 0; i < places.length; i++) {
        double[] into = normal[places[i]];
        for (int j = 0; j < places.length; j++) {
          into[places[j]] += values[i] * values[j];
        }
        right[places[i]] += values[i] * target;
      }
    }
  }
}
