package dev.cotenant.learning.trees;

import dev.cotenant.learning.quantile.Quantiles;

/** What boosted trees minimise, summed over rows by weight. */
public sealed interface Loss {
  /** Half the squared error: trees answer the mean. */
  Loss SQUARED = new Squared();

  /** Where the sum of trees starts. */
  double start(double[] targets, double[] weights);

  /** The negative gradient by row; may be the residuals themselves. */
  double[] slopes(double[] residuals);

  /** What a leaf of these rows answers. */
  double answer(int[] rows, double[] residuals, Leaves leaves);

  /**
   * What leaves share.
   *
   * @param weights by row
   * @param shrinkage weight of the prior that a leaf answers 0
   */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
  record Leaves(double[] weights, double shrinkage) {}

  /** See {@link #SQUARED}. */
  record Squared() implements Loss {
    @Override
    public double start(double[] targets, double[] weights) {
      return 0;
    }

    @Override
    public double[] slopes(double[] residuals) {
      return residuals;
    }

    @Override
    public double answer(int[] rows, double[] residuals, Leaves leaves) {
      double sum = 0;
      double mass = 0;
      for (int row : rows) {
        sum += leaves.weights[row] * residuals[row];
        mass += leaves.weights[row];
      }
      return sum / (mass + leaves.shrinkage);
    }
  }

  /**
   * The pinball loss: trees answer a quantile [Koenker and Bassett, "Regression Quantiles", 1978].
   * A leaf answers the weighted quantile of its rows, whatever the shrinkage, which only damps
   * splits.
   *
   * @param quantile above 0, below 1
   */
  record Pinball(double quantile) implements Loss {
    public Pinball {
      if (!(quantile > 0 && quantile < 1)) {
        throw new IllegalArgumentException("quantile must be in (0, 1), is " + quantile);
      }
    }

    @Override
    public double start(double[] targets, double[] weights) {
      return Quantiles.weighted(targets.clone(), weights.clone(), quantile);
    }

    @Override
    public double[] slopes(double[] residuals) {
      double[] slopes = new double[residuals.length];
      for (int row = 0; row < slopes.length; row++) {
        slopes[row] = residuals[row] > 0 ? quantile : quantile - 1;
      }
      return slopes;
    }

    @Override
    public double answer(int[] rows, double[] residuals, Leaves leaves) {
      double[] chosen = new double[rows.length];
      double[] weights = new double[rows.length];
      for (int i = 0; i < rows.length; i++) {
        chosen[i] = residuals[rows[i]];
        weights[i] = leaves.weights[rows[i]];
      }
      return Quantiles.weighted(chosen, weights, quantile);
    }
  }
}
