package dev.cotenant.engine.rate;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * Predicts inference that states no request rate at the rate that was measured of its configuration
 * in its namespace, as far as one is known. Stated rates stay unchanged.
 */
public final class MeasuredRatePredictor implements WorkloadPredictor {
  private final WorkloadPredictor models;
  private final RequestRates rates;

  /**
   * @param models predicts models at a load
   * @param rates what was measured
   */
  public MeasuredRatePredictor(WorkloadPredictor models, RequestRates rates) {
    this.models = models;
    this.rates = rates;
  }

  @Override
  public Outcome predict(Workload workload, Set<DeviceId> devices, Coverage level) {
    return models.predict(workload, devices, level);
  }

  @Override
  public Outcome predictIn(
      String namespace, Workload workload, Set<DeviceId> devices, Coverage level) {
    return models.predictIn(namespace, measured(namespace, workload), devices, level);
  }

  @Override
  public boolean isPrepared(Workload workload) {
    return models.isPrepared(workload);
  }

  private Workload measured(String namespace, Workload workload) {
    RunSettings settings = workload.settings();
    if (settings.mode() != ExecutionMode.INFERENCE || !settings.load().equals(Load.UNSTATED)) {
      return workload;
    }
    OptionalDouble rate = rates.of(namespace, workload);
    return rate.isEmpty()
        ? workload
        : new Workload(
            workload.model(),
            workload.batchSize(),
            settings.withLoad(
                new Load.RequestRate(rate.getAsDouble(), Load.RequestRate.Source.MEASURED)),
            workload.engine());
  }
}
