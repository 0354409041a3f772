package dev.cotenant.engine.cluster;

import java.time.Instant;
import java.util.List;

/**
 * A recording of a cluster at one instant, read from a file. Its clock stands still at {@code
 * recordedAt}: replaying it never presents old samples as fresh ones of today.
 *
 * @param recordedAt when it was recorded
 * @param description one sentence for people
 * @param gpus readings of every GPU
 */
public record RecordedCluster(Instant recordedAt, String description, List<GpuReading> gpus) {
  public RecordedCluster {
    gpus = List.copyOf(gpus);
  }
}
