package dev.cotenant.engine.path;

import dev.cotenant.domain.prediction.AdjustedPredictor;
import dev.cotenant.domain.prediction.LoadMeasurements;
import dev.cotenant.domain.prediction.PredictionAdjustment;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.lifecycle.Serving;
import dev.cotenant.engine.lifetime.ExpectedLifetimes;
import dev.cotenant.engine.serving.ProfiledServices;
import dev.cotenant.predictor.cache.MeasuredRunCache;
import dev.cotenant.predictor.cache.MeasuredRunLayer;
import java.util.function.Supplier;

/**
 * Composes what predicts pods. Between its caller and the model's file are five classes: {@code
 * AdjustedPredictor}, {@code RegisteredModelPredictor}, {@code Engine}, {@code LayeredPredictor}
 * and {@code Predictor}. Whatever else is known of a pod is asked by one of them before or after
 * its call of the next.
 */
public final class PredictionPath {
  private PredictionPath() {}

  /**
   * What is known of pods beside their models.
   *
   * @param loads measured loads
   * @param services measured profiles of services
   * @param lifetimes how long pods stay
   * @param outOfMemory more memory for pods that had too little
   */
  public record Known(
      LoadMeasurements loads,
      ProfiledServices services,
      ExpectedLifetimes lifetimes,
      PredictionAdjustment outOfMemory) {}

  /** Lets an engine answer with the version that serves, and with measured runs. */
  public static void serve(Engine engine, Serving serving, Supplier<MeasuredRunCache> runs) {
    engine.serve(serving::predictor, new MeasuredRunLayer(runs));
  }

  /** Predicts pods of these models. */
  public static AdjustedPredictor ofPods(WorkloadPredictor models, Known known) {
    return new AdjustedPredictor(models, known.services, known.lifetimes, known.outOfMemory)
        .withLoads(known.loads);
  }
}
