package dev.cotenant.domain.prediction;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.Workload;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Predictions of models at measured loads, with adjustments, each of which sees those before it and
 * the workload as it was stated.
 *
 * @param models predicts models
 * @param loads what was measured of loads that are not stated
 * @param adjustments in their order
 * @param observer sees every outcome, on the caller's thread
 */
public record AdjustedPredictor(
    WorkloadPredictor models,
    LoadMeasurements loads,
    List<PredictionAdjustment> adjustments,
    Consumer<Outcome> observer)
    implements WorkloadPredictor {
  public AdjustedPredictor {
    adjustments = List.copyOf(adjustments);
  }

  /** Without measured loads and an observer. */
  public AdjustedPredictor(WorkloadPredictor models, PredictionAdjustment... adjustments) {
    this(models, LoadMeasurements.NONE, List.of(adjustments), _ -> {});
  }

  /** The same at these loads. */
  public AdjustedPredictor withLoads(LoadMeasurements other) {
    return new AdjustedPredictor(models, other, adjustments, observer);
  }

  /** Copy that reports every outcome to this consumer. */
  public AdjustedPredictor observedBy(Consumer<Outcome> other) {
    return new AdjustedPredictor(models, loads, adjustments, other);
  }

  @Override
  public Outcome predict(Workload workload, Set<DeviceId> devices, Coverage level) {
    return predictIn("", workload, devices, level);
  }

  @Override
  public Outcome predictIn(
      String namespace, Workload workload, Set<DeviceId> devices, Coverage level) {
    Workload loaded = loads.withLoad(namespace, workload);
    Outcome outcome = models.predictIn(namespace, loaded, devices, level);
    if (outcome instanceof Outcome.Predicted(Map<DeviceId, Prediction> predicted)) {
      Map<DeviceId, Prediction> adjusted = new HashMap<>(predicted);
      adjusted.replaceAll((_, prediction) -> adjusted(namespace, workload, prediction, level));
      outcome = new Outcome.Predicted(adjusted);
    }
    observer.accept(outcome);
    return outcome;
  }

  @Override
  public boolean isPrepared(Workload workload) {
    return models.isPrepared(workload);
  }

  private Prediction adjusted(
      String namespace, Workload workload, Prediction prediction, Coverage level) {
    Prediction adjusted = prediction;
    for (PredictionAdjustment adjustment : adjustments) {
      adjusted = adjustment.adjust(namespace, workload, adjusted, level);
    }
    return adjusted;
  }
}
