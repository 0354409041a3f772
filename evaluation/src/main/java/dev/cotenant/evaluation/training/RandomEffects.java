package dev.cotenant.evaluation.training;

import dev.cotenant.learning.linear.PositiveDefinite;
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
   * noise²·(X'X + penalty)⁻¹, and the logarithm of the likelihood of y with all coefficients integrated
   * out is −½·(n·ln noise² + ln det(X'X + penalty) − ln det penalty + (y'y − y'Xβ)/noise²) up to a
   * constant. Rows are sparse (fixed columns and one per group), so filling the normal
   * equations costs O(rows·used²) and solving them O(columns³) by Cholesky.
   */
  private final Map<String, Integer> columns;
  private final PositiveDefinite equations;
  private final double[] coefficients;
  private final double logEvidence;
  private final Priors priors;

  private RandomEffects(Equations equations, Solution solution, Priors priors) {
    this.columns = equations.columns;
    this.equations = solution.equations;
    this.coefficients = solution.coefficients;
    this.logEvidence = solution.logEvidence;
    this.priors = priors;
  }

  /**
   * Standard deviations, in the target's unit.
   *
   * @param fixed of each fixed coefficient
   * @param groups of each group's effects
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

  /**
   * With the priors under which the targets are likeliest, the first of equals; empty when the
   * equations of all are singular.
   */
  static Optional<RandomEffects> fit(List<Row> rows, double[] targets, List<Priors> candidates) {
    if (rows.isEmpty()) {
      return Optional.empty();
    }
    Equations equations = new Equations(rows, targets);
    RandomEffects best = null;
    for (Priors priors : candidates) {
      Solution solution = equations.solve(priors).orElse(null);
      if (solution != null && (best == null || solution.logEvidence > best.logEvidence)) {
        best = new RandomEffects(equations, solution, priors);
      }
    }
    return Optional.ofNullable(best);
  }

  @SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
  private record Solution(PositiveDefinite equations, double[] coefficients, double logEvidence) {}

  /** X'X and X'y, and which group each column is of. */
  private static final class Equations {
    private final Map<String, Integer> columns = new HashMap<>();
    private final List<Integer> groups = new ArrayList<>();
    private final double[][] normal;
    private final double[] right;
    private final int rows;
    private double squares;

    Equations(List<Row> rows, double[] targets) {
      this.rows = rows.size();
      int fixed = rows.getFirst().fixed().length;
      for (Row row : rows) {
        for (int group = 0; group < row.levels().size(); group++) {
          if (columns.putIfAbsent(key(group, row), fixed + columns.size()) == null) {
            groups.add(group);
          }
        }
      }
      normal = new double[fixed + groups.size()][fixed + groups.size()];
      right = new double[normal.length];
      for (int i = 0; i < targets.length; i++) {
        Sparse.of(rows.get(i), columns).addTo(normal, right, targets[i]);
        squares += targets[i] * targets[i];
      }
    }

    /** Ridge regression with the penalties of these priors. */
    Optional<Solution> solve(Priors priors) {
      double noise = priors.noise() * priors.noise();
      double[][] matrix = new double[normal.length][];
      double logDeterminant = rows * Math.log(noise);
      for (int i = 0; i < matrix.length; i++) {
        int fixed = priors.fixed().length;
        double deviation = i < fixed ? priors.fixed()[i] : priors.groups()[groups.get(i - fixed)];
        matrix[i] = normal[i].clone();
        matrix[i][i] += noise / (deviation * deviation);
        logDeterminant -= Math.log(noise / (deviation * deviation));
      }
      double penalties = logDeterminant;
      return PositiveDefinite.of(matrix)
          .map(factored -> {
            double[] solved = factored.solve(right);
            double explained = PositiveDefinite.dot(right, solved);
            double logEvidence =
                -(penalties + factored.logDeterminant() + (squares - explained) / noise) / 2;
            return new Solution(factored, solved, logEvidence);
          })
          .filter(solution -> Double.isFinite(solution.logEvidence));
    }
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
    double noise = priors.noise() * priors.noise();
    double variance = noise + noise * equations.inverseSquare(vector);
    for (int group = 0; group < row.levels().size(); group++) {
      if (!columns.containsKey(key(group, row))) {
        variance += priors.groups()[group] * priors.groups()[group];
      }
    }
    return Math.sqrt(variance);
  }

  /** The priors that were chosen. */
  Priors priors() {
    return priors;
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
