package dev.cotenant.engine.cluster;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Where readings come from: a recording, or a metrics server. Asking costs no I/O. */
public interface ReadingsSource {
  /** {@code recorded} or {@code prometheus}. */
  String kind();

  /** What it is, for people. */
  String description();

  /** When it was recorded, or last read; empty before the first good reading. */
  Optional<Instant> readAt();

  /** The instant that ages are counted to. */
  Instant now();

  /** GPUs without this process's grants; ages are as of {@link #now}. */
  ClusterSnapshot snapshot();

  /** The readings behind it. */
  List<GpuReading> readings();

  /** One GPU of the snapshot, found without making the rest of it. */
  Optional<GpuSnapshot> find(String uuid);

  /** How old a GPU's newest sample is; empty where it has none. */
  Optional<Duration> age(String uuid);

  /** How long ago the forecasts of the snapshot were made; empty before the first good reading. */
  Optional<Duration> forecastAge();
}
