package dev.cotenant.engine.plan;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.graph.GraphFeatures;

/** Where the models that a plan names come from. */
@FunctionalInterface
public interface ModelSource {
  /**
   * The features of a model at a batch.
   *
   * @throws InputException where there is no such model or it cannot be read
   */
  GraphFeatures features(String model, int batchSize);
}
