package dev.cotenant.service.decisions;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.Workload;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Set;

/** Counts the predictions of another predictor. */
public final class CountingPredictor implements WorkloadPredictor {
  private final WorkloadPredictor predictor;
  private final PredictionCounter counter;

  public CountingPredictor(WorkloadPredictor predictor, MeterRegistry meters) {
    this.predictor = predictor;
    this.counter = new PredictionCounter(meters);
  }

  @Override
  public Outcome predict(Workload workload, Set<DeviceId> devices, Coverage level) {
    return counted(predictor.predict(workload, devices, level));
  }

  @Override
  public Outcome predictIn(
      String namespace, Workload workload, Set<DeviceId> devices, Coverage level) {
    return counted(predictor.predictIn(namespace, workload, devices, level));
  }

  private Outcome counted(Outcome outcome) {
    switch (outcome) {
      case Outcome.Predicted _ -> counter.predicted();
      case Outcome.UnknownModel _ -> counter.unknownModel();
    }
    return outcome;
  }
}
