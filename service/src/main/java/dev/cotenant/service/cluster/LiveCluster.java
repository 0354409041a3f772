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
import java.util.function.Predicate;

/** The cluster as it was read, alone and with what this process has granted since. */
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

  /** As it was read, without the ledger's grants. */
  @Override
  public ClusterSnapshot snapshot() {
    return readings.snapshot();
  }

  /** With the ledger's grants as tenants. */
  public ClusterSnapshot withGrants() {
    return ledger.overlay(snapshot());
  }

  /** What this process has granted. */
  public Ledger ledger() {
    return ledger;
  }

  /** A GPU with the ledger's grants. */
  public GpuSnapshot require(String uuid) {
    return first(withGrants().gpus(), gpu -> gpu.uuid().equals(uuid), uuid);
  }

  /** Every estimator's forecast for a GPU, its grants counted. */
  public List<MemoryForecast> forecast(String uuid) {
    GpuReading reading = first(readings.readings(), gpu -> gpu.uuid().equals(uuid), uuid);
    return engine.forecast(reading, require(uuid).tenancy(), readings.now());
  }

  private static <T> T first(List<T> all, Predicate<T> wanted, String uuid) {
    return all.stream()
        .filter(wanted)
        .findFirst()
        .orElseThrow(() ->
            InputException.notFound(
                "unknown-gpu", "There is no GPU '" + uuid + "': GET /v1/gpus lists them."));
  }
}
