package dev.cotenant.service.cluster;

import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.ClusterSource;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.cluster.GpuReading;
import dev.cotenant.engine.cluster.ReadingsSource;
import java.util.List;

/** The cluster as it was read, and what this process has granted since. */
public final class LiveCluster implements ClusterSource {
  private final ReadingsSource readings;
  private final Engine engine;
  private final Ledger ledger;

  public LiveCluster(ReadingsSource readings, Engine engine, Ledger ledger) {
    this.readings = readings;
    this.engine = engine;
    this.ledger = ledger;
  }

  /** Where it comes from. */
  public ReadingsSource readings() {
    return readings;
  }

  /** Last reading, without the ledger's grants. */
  @Override
  public ClusterSnapshot snapshot() {
    return readings.snapshot();
  }

  /** Grants of this process. */
  public Ledger ledger() {
    return ledger;
  }

  /** A GPU of a cluster. */
  public static GpuSnapshot require(ClusterSnapshot cluster, String uuid) {
    return cluster.find(uuid).orElseThrow(() -> unknown(uuid));
  }

  /** Every estimator's forecast for a GPU, its grants counted. */
  public List<MemoryForecast> forecast(GpuSnapshot gpu) {
    GpuReading reading =
        readings.readings().stream()
            .filter(one -> one.uuid().equals(gpu.uuid()))
            .findFirst()
            .orElseThrow(() -> unknown(gpu.uuid()));
    return engine.forecast(reading, gpu.tenancy(), readings.now());
  }

  private static InputException unknown(String uuid) {
    return InputException.notFound(
        "unknown-gpu", "There is no GPU '" + uuid + "': GET /v1/gpus lists them.");
  }
}
