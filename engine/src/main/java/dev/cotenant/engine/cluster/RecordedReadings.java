package dev.cotenant.engine.cluster;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.forecast.MemorySample;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A recorded cluster at the instant of its recording: made once, for a recording does not move. */
public final class RecordedReadings implements ReadingsSource {
  private final RecordedCluster recorded;
  private final ClusterSnapshot snapshot;

  public RecordedReadings(RecordedCluster recorded, ClusterSnapshot snapshot) {
    this.recorded = recorded;
    this.snapshot = snapshot;
  }

  @Override
  public String kind() {
    return "recorded";
  }

  @Override
  public String description() {
    return recorded.description();
  }

  @Override
  public Optional<Instant> readAt() {
    return Optional.of(recorded.recordedAt());
  }

  @Override
  public Instant now() {
    return recorded.recordedAt();
  }

  @Override
  public ClusterSnapshot snapshot() {
    return snapshot;
  }

  @Override
  public List<GpuReading> readings() {
    return recorded.gpus();
  }

  @Override
  public Optional<GpuSnapshot> find(String uuid) {
    return snapshot.gpus().stream().filter(gpu -> gpu.uuid().equals(uuid)).findFirst();
  }

  @Override
  public Optional<Duration> forecastAge() {
    return Optional.of(Duration.ZERO);
  }

  @Override
  public Optional<Duration> age(String uuid) {
    return recorded.gpus().stream()
        .filter(gpu -> gpu.uuid().equals(uuid))
        .findFirst()
        .flatMap(gpu -> gpu.usedMemory().last())
        .map(MemorySample::at)
        .map(at -> Duration.between(at, now()));
  }
}
