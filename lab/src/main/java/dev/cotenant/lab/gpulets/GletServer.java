package dev.cotenant.lab.gpulets;

import dev.cotenant.domain.colocation.UtilizationCell;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.interference.partition.UtilizationFactor;
import dev.cotenant.lab.requests.BatchDurations;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.glet.DutyCycles;
import dev.cotenant.placement.glet.GpuPool;
import dev.cotenant.placement.glet.Interference;
import dev.cotenant.placement.glet.PoolPlan;
import dev.cotenant.placement.glet.Tenant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The server of the gpu-lets paper, four RTX 2080 Ti [gpu-lets, table 3], under one interpretation
 * of the effect of a share: its strategies as planners of observed rates, and the times of its
 * batches.
 */
public final class GletServer {
  /** Deviation of the logarithm of the interference factor's error [gpu-lets, figure 9]. */
  public static final double FACTOR_ERROR = GletDurations.DEVIATION;

  /** GPUs of the server. */
  public static final int GPUS = 4;

  /*
   * The authors' scheduler stretches profiled latencies by a tenth ("Latency Ratio" of all its
   * configurations, casys-kaist/glet; not in the paper), which leaves a tenth of each gpu-let's
   * throughput unused. Here rates are raised instead: the time of LeNet hardly falls with the batch
   * in our profile, so that a tenth more would put it beyond its objective.
   */
  private static final double ROOM = 1.1;

  private final GletModels models;
  private final ShareInterpretation interpretation;
  private final SchedulabilityStudy study;

  /**
   * @param works of the paper's models, see {@link GletScenarios}
   * @param cells their utilizations on the device
   * @param device RTX 2080 Ti, for which the interference factor was found
   * @throws dev.cotenant.domain.InputException ({@code glet-model-missing})
   */
  public GletServer(
      Map<String, GraphWork> works,
      List<UtilizationCell> cells,
      Device device,
      ShareInterpretation interpretation) {
    this.interpretation = interpretation;
    models = new GletModels(works, cells, device);
    for (PaperModel model : PaperModel.values()) {
      models.require(model.key());
    }
    GpuPool pool = new GpuPool(device.memory(), GPUS);
    Interference linear =
        Interference.linear(UtilizationFactor.RTX_2080_TI).keeping(interpretation.keptPart());
    study = new SchedulabilityStudy(pool, linear);
  }

  /** The device's id. */
  public String device() {
    return models.device().id().value();
  }

  /**
   * A strategy's plan for rates; empty where it does not schedule all of them.
   *
   * @param requestsPerSecond by model
   * @param sloMillis by model
   */
  public Optional<FleetPlan> plan(
      String strategy, Map<String, Double> requestsPerSecond, Map<String, Double> sloMillis) {
    List<Tenant> tenants = tenants(requestsPerSecond, sloMillis, interpretation.effect());
    PoolPlan plan = study.plan(strategy, tenants);
    return plan.left().isEmpty()
        ? Optional.of(FleetPlan.of(strategy, plan.planned(device()), List.of()))
        : Optional.empty();
  }

  /**
   * Whether squishy bin packing schedules these rates on the halves of the GPUs [gpu-lets, figure
   * 4].
   */
  public boolean schedulesInHalves(Map<String, Double> requestsPerSecond) {
    GpuPool halves = new GpuPool(models.device().memory(), 2 * GPUS);
    List<Tenant> tenants = tenants(requestsPerSecond, Map.of(), ShareEffect.ON_A_HALF);
    return new DutyCycles().plan(halves, tenants).left().isEmpty();
  }

  private List<Tenant> tenants(
      Map<String, Double> requestsPerSecond, Map<String, Double> sloMillis, ShareEffect effect) {
    List<Tenant> tenants = new ArrayList<>();
    requestsPerSecond.forEach((name, rate) -> {
      PaperModel model = PaperModel.of(name);
      double slo = sloMillis.getOrDefault(name, model.sloMillis());
      if (rate > 0) {
        tenants.add(models.tenant(model, slo, ROOM * rate, effect));
      }
    });
    return tenants;
  }

  /**
   * Times of batches.
   *
   * @param deviation of the logarithm of the interference factor's error
   * @param seed of the errors
   */
  public BatchDurations durations(double deviation, long seed) {
    Map<String, Tenant> tenants = new TreeMap<>();
    for (PaperModel model : PaperModel.values()) {
      tenants.put(model.key(), models.tenant(model, model.sloMillis(), 1, interpretation.effect()));
    }
    return new GletDurations(tenants, deviation, seed);
  }
}
