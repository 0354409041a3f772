package dev.cotenant.placement;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Small clusters for tests; memory in GiB, utilization in percent. */
final class Clusters {
  static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");
  static final Duration WINDOW = Duration.ofMinutes(15);
  static final Device A100 = DeviceCatalogue.builtIn().require("a100-40gb");

  private Clusters() {}

  static ClusterSnapshot cluster(GpuSnapshot... gpus) {
    return new ClusterSnapshot(NOW, List.of(gpus));
  }

  static GpuSnapshot gpu(String uuid, Tenancy tenancy, MemoryObservation memory) {
    return new GpuSnapshot(uuid, "node-1", A100, MemorySize.ofGiB(40), tenancy, memory);
  }

  /** A GPU that was observed to be this busy. */
  static GpuSnapshot observed(
      String uuid, double percent, Tenancy tenancy, MemoryObservation memory) {
    return new GpuSnapshot(
        uuid,
        "node-1",
        A100,
        MemorySize.ofGiB(40),
        tenancy,
        memory,
        Utilization.ofPercent(percent));
  }

  static GpuSnapshot free(String uuid) {
    return gpu(uuid, new Tenancy.Shared(List.of()), measured(0, 0));
  }

  static MemoryObservation.Measured measured(long last, long peak, MemoryForecast... forecasts) {
    return new MemoryObservation.Measured(
        MemorySize.ofGiB(last),
        MemorySize.ofGiB(peak),
        Duration.ofSeconds(20),
        WINDOW,
        List.of(forecasts));
  }

  static MemoryForecast forecast(String estimator, long gib) {
    MemorySize used = MemorySize.ofGiB(gib);
    return new MemoryForecast(
        estimator,
        new MemoryForecast.Applies("test", used, used, used, null),
        Duration.ofMinutes(5),
        30,
        Duration.ofSeconds(20));
  }

  static Tenant tenant(String name, double utilization, long gib, Duration age) {
    return new Tenant(
        name, utilization(utilization), memory(gib), Slowdown.ofRatio(1.15), NOW.minus(age));
  }

  static Tenancy shared(Tenant... tenants) {
    return new Tenancy.Shared(List.of(tenants));
  }

  static UtilizationEstimate utilization(double upper) {
    return new UtilizationEstimate(
        Utilization.ofPercent(upper * 0.9),
        Utilization.ofPercent(upper * 0.8),
        Utilization.ofPercent(upper),
        Coverage.of(0.9));
  }

  static MemoryEstimate memory(long upper) {
    MemorySize size = MemorySize.ofGiB(upper);
    return new MemoryEstimate(size.times(0.9), size.times(0.8), size, Coverage.of(0.9));
  }

  static Prediction prediction(double utilization, long gib) {
    return prediction(A100, utilization(utilization), memory(gib));
  }

  static Prediction prediction(Device device, UtilizationEstimate busy, MemoryEstimate peak) {
    return new Prediction(device.id(), 64, RunSettings.DEFAULT, busy, peak, "test", List.of());
  }

  /** The same with bounds that hold in this share of cases; null for assumed ones. */
  static Prediction covered(Prediction prediction, @Nullable Double coverage) {
    MemoryEstimate peak = prediction.peakMemory();
    return prediction.withPeakMemory(
        new MemoryEstimate(
            peak.mean(),
            peak.lower(),
            peak.upper(),
            coverage == null ? null : Coverage.of(coverage)));
  }

  static PlacementRequest.Share share(double utilization, long gib) {
    return share(utilization, gib, SharingLimits.DEFAULT);
  }

  static PlacementRequest.Share share(double utilization, long gib, SharingLimits limits) {
    return new PlacementRequest.Share(
        "team-a/new", Map.of(A100.id(), prediction(utilization, gib)), limits);
  }
}
