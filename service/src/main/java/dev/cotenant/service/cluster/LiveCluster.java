package dev.cotenant.service.cluster;

import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.ClusterSource;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.cluster.GpuReading;
import dev.cotenant.engine.cluster.RecordedCluster;
import java.util.List;
import java.util.function.Predicate;

/**
 * The recorded cluster, alone and with what this process has granted since. Snapshots are made
 * once: a recording does not move.
 */
public final class LiveCluster implements ClusterSource {
  private final RecordedCluster recorded;
  private final ClusterSnapshot snapshot;
  private final Engine engine;
  private final Ledger ledger;

  public LiveCluster(RecordedCluster recorded, Engine engine, Ledger ledger) {
    this.recorded = recorded;
    this.snapshot = engine.snapshot(recorded);
    this.engine = engine;
    this.ledger = ledger;
  }

  /** What was recorded. */
  public RecordedCluster recorded() {
    return recorded;
  }

  /** As it was recorded, without the ledger's grants. */
  @Override
  public ClusterSnapshot snapshot() {
    return snapshot;
  }

  /** With the ledger's grants as tenants. */
  public ClusterSnapshot withGrants() {
    return ledger.overlay(snapshot);
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
    GpuReading reading = first(recorded.gpus(), gpu -> gpu.uuid().equals(uuid), uuid);
    return engine.forecast(reading, require(uuid).tenancy(), recorded.recordedAt());
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
