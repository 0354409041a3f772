package dev.cotenant.lab.memory;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.cluster.GpuReading;
import dev.cotenant.engine.cluster.RecordedCluster;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The product's own decision with its own forecast. It gets a peak for each pod and monitored
 * memory for each GPU; utilization is not part of this replay and is set next to nothing.
 */
final class DecidedMemory implements MemoryPolicy.Choice {
  private static final Coverage ALWAYS = Coverage.of(1);
  private static final Utilization LITTLE = Utilization.ofPercent(1);
  private static final String NODE = "node";

  private final Engine engine;
  private final Setting setting;

  /** Whether what a series forecasts may count for less than the tenants' predicted peaks. */
  enum Forecasts {
    USED,
    IGNORED
  }

  /**
   * Inputs of its decisions.
   *
   * @param predicted the predicted peak of a pod
   * @param stayPercent of its life that a pod is expected to stay; 0 where that is not known
   */
  record Setting(
      Device device,
      SharingLimits limits,
      MemoryBaselines.Request predicted,
      UsedMemorySeries series,
      Forecasts forecasts,
      int stayPercent) {
    /** The tenants' predicted peaks count throughout. */
    Setting withoutForecasts() {
      return new Setting(device, limits, predicted, series, Forecasts.IGNORED, stayPercent);
    }

    /** It is known, or believed, how long pods stay. */
    Setting withStays(int percent) {
      return new Setting(device, limits, predicted, series, forecasts, percent);
    }
  }

  private DecidedMemory(Engine engine, Setting setting) {
    this.engine = engine;
    this.setting = setting;
  }

  static MemoryPolicy policy(String name, Engine engine, Setting setting) {
    return new MemoryPolicy(name, new DecidedMemory(engine, setting));
  }

  @Override
  public Optional<MemoryGpu> of(RecordedPod pod, List<MemoryGpu> gpus, int step) {
    Map<String, MemoryGpu> byUuid = new HashMap<>();
    List<GpuReading> readings = new ArrayList<>();
    for (MemoryGpu gpu : gpus) {
      byUuid.put(gpu.uuid(), gpu);
      readings.add(reading(gpu, step));
    }
    RecordedCluster cluster = new RecordedCluster(setting.series.at(step), "a replay", readings);
    PlacementRequest request =
        new PlacementRequest.Share(
            pod.name(), Map.of(setting.device.id(), prediction(pod)), setting.limits);
    return engine.decide(known(engine.snapshot(cluster)), request)
            instanceof Decision.Admitted admitted
        ? Optional.ofNullable(byUuid.get(admitted.grants().getFirst().gpuUuid()))
        : Optional.empty();
  }

  private ClusterSnapshot known(ClusterSnapshot seen) {
    return switch (setting.forecasts) {
      case USED -> seen;
      case IGNORED ->
          new ClusterSnapshot(
              seen.takenAt(), seen.gpus().stream().map(DecidedMemory::withoutForecasts).toList());
    };
  }

  private static GpuSnapshot withoutForecasts(GpuSnapshot gpu) {
    return gpu.memory() instanceof MemoryObservation.Measured measured
        ? gpu.withMemory(
            new MemoryObservation.Measured(
                measured.lastUsed(),
                measured.windowPeak(),
                measured.age(),
                measured.window(),
                List.of()))
        : gpu;
  }

  private GpuReading reading(MemoryGpu gpu, int step) {
    return new GpuReading(
        gpu.uuid(),
        NODE,
        setting.device,
        setting.predicted.capacity(),
        new Tenancy.Shared(gpu.at(step).stream().map(this::tenant).toList()),
        setting.series.of(gpu, step),
        null);
  }

  private Tenant tenant(MemoryGpu.Resident resident) {
    Prediction predicted = prediction(resident.pod());
    return new Tenant(
            resident.pod().name(),
            predicted.utilization(),
            predicted.peakMemory(),
            setting.limits.slowdown(),
            setting.series.at(resident.arrived()))
        .stayingFor(predicted.stay());
  }

  private Prediction prediction(RecordedPod pod) {
    MemorySize peak = setting.predicted.of(pod);
    Prediction prediction =
        new Prediction(
            setting.device.id(),
            1,
            RunSettings.DEFAULT,
            new UtilizationEstimate(LITTLE, LITTLE, LITTLE, ALWAYS),
            new MemoryEstimate(peak, peak, peak, ALWAYS),
            "recorded",
            List.of());
    return setting.stayPercent == 0
        ? prediction
        : prediction.withLifetime(
            setting
                .series
                .step()
                .multipliedBy((long) pod.steps() * setting.stayPercent)
                .dividedBy(100));
  }
}
