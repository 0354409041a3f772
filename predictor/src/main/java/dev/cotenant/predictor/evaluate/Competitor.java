package dev.cotenant.predictor.evaluate;

import dev.cotenant.predictor.forest.Feature;
import dev.cotenant.predictor.forest.Forest;
import dev.cotenant.predictor.forest.Target;
import dev.cotenant.predictor.train.ForestLearner;
import dev.cotenant.predictor.train.ForestSettings;
import dev.cotenant.predictor.train.TrainingSettings;
import dev.cotenant.predictor.train.TrainingTable;

/** What predicts in an evaluation. */
enum Competitor {
  /** Ours, its settings chosen inside the training part. */
  FOREST("forest"),
  /** The mean of the training part. */
  CONSTANT("constant"),
  /** A line on the logarithm of the batch. */
  BATCH_ONLY("batch-only"),
  /** A line on the logarithm of the FLOPs. */
  FLOPS_ONLY("flops-only"),
  /** Weights, gradients, moments, activations and context, nothing learned; memory only. */
  ANALYTIC("analytic");

  private final String label;

  Competitor(String label) {
    this.label = label;
  }

  /** Predicts the plain logarithm of one row: log1p of percent, or log of MiB. */
  @FunctionalInterface
  interface Regression {
    double predict(TrainingTable table, int row);
  }

  String label() {
    return label;
  }

  boolean entersFor(Target target) {
    return this != ANALYTIC || target == Target.PEAK_MEMORY;
  }

  Regression fit(TrainingTable train, TrainingSettings settings) {
    return switch (this) {
      case FOREST -> forest(train, settings);
      case CONSTANT -> {
        double mean = Line.mean(train);
        yield (table, row) -> mean;
      }
      case BATCH_ONLY -> Line.fit(train, Feature.BATCH_SIZE);
      case FLOPS_ONLY -> Line.fit(train, Feature.GIGAFLOPS);
      case ANALYTIC -> (table, row) -> table.target().logScale(table.row(row).features());
    };
  }

  private static Regression forest(TrainingTable train, TrainingSettings settings) {
    ForestSettings chosen = ForestLearner.choose(train, settings.grid(), settings.seed());
    Forest forest = ForestLearner.grow(train, chosen, settings.seed());
    return (table, row) ->
        forest.predict(table.vector(row)) + table.target().logScale(table.row(row).features());
  }

  /** The plain logarithm that was measured. */
  static double actual(TrainingTable table, int row) {
    return table.log(row) + table.target().logScale(table.row(row).features());
  }
}
