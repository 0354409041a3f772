package dev.cotenant.predictor;

import dev.cotenant.predictor.forest.BoundCoverage;
import dev.cotenant.predictor.forest.Learned;
import dev.cotenant.predictor.forest.Target;
import dev.cotenant.predictor.layered.LayeredModel;

/**
 * A prior and its corrections: files of version 2 and 3.
 *
 * @param version of the file
 */
record LayersModel(LayeredModel model, int version) implements Model {
  @Override
  public String kind() {
    return "layers-".concat(Integer.toString(version));
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
