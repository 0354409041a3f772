package dev.cotenant.predictor;

import dev.cotenant.predictor.forest.BoundCoverage;
import dev.cotenant.predictor.forest.Learned;
import dev.cotenant.predictor.forest.Target;

/** What one version of the model file answers from. Immutable, thread safe. */
sealed interface Model permits ForestModel, LayersModel {
  /** Plain logarithms: log1p of percent, or log of MiB. */
  record Bounded(double mean, double lower, double upper) {}

  /** How version names begin. */
  String kind();

  Bounded estimate(Target target, Question question);

  BoundCoverage coverage(Target target);

  /** What it was learned from. */
  Learned learned();
}
