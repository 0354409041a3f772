package dev.cotenant.predictor;

import dev.cotenant.predictor.forest.BoundCoverage;
import dev.cotenant.predictor.forest.Learned;
import dev.cotenant.predictor.forest.Target;
import dev.cotenant.predictor.layered.LayeredModel;

/** A prior and its corrections: files of version 2. */
record LayersModel(LayeredModel model) implements Model {
  @Override
  public String kind() {
    return "layers-2";
  }

  @Override
  public Bounded estimate(Target target, Question question) {
    LayeredModel.Estimate estimate = model.estimate(target, question.asked());
    return new Bounded(estimate.mean(), estimate.lower(), estimate.upper());
  }

  @Override
  public BoundCoverage coverage(Target target) {
    return model.coverage(target);
  }

  @Override
  public Learned learned() {
    return model;
  }
}
