package dev.cotenant.predictor;

import dev.cotenant.predictor.forest.BoundCoverage;
import dev.cotenant.predictor.forest.Feature;
import dev.cotenant.predictor.forest.Forest;
import dev.cotenant.predictor.forest.Learned;
import dev.cotenant.predictor.forest.PredictorModel;
import dev.cotenant.predictor.forest.ResidualQuantiles;
import dev.cotenant.predictor.forest.Target;
import dev.cotenant.predictor.forest.TargetModel;

/** Random forests on the features of [UtilPred, Table 2] and the device: files of version 1. */
record ForestModel(PredictorModel model) implements Model {
  @Override
  public String kind() {
    return "forest-1";
  }

  @Override
  public Bounded estimate(Target target, Question question) {
    TargetModel asked = target(target);
    Forest.Estimate estimate =
        asked
            .forest()
            .estimate(Feature.encode(question.asked().model(), question.asked().device()));
    ResidualQuantiles offsets = asked.offsets(estimate, question.novelty());
    double mean = estimate.mean() + target.logScale(question.asked().model());
    return new Bounded(mean, mean + offsets.lower(), mean + offsets.upper());
  }

  private TargetModel target(Target target) {
    return switch (target) {
      case UTILIZATION -> model.utilization();
      case PEAK_MEMORY -> model.memory();
    };
  }

  @Override
  public BoundCoverage coverage(Target target) {
    return target(target).coverage();
  }

  @Override
  public Learned learned() {
    return model;
  }
}
