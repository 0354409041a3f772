package dev.cotenant.service.history;

import dev.cotenant.admission.capacity.NotLeadingException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Supplier;

/**
 * Stores what the cluster looks like once a minute, and deletes what is too old once an hour. Of
 * several replicas the one that is first in a minute stores it; one that does not lead stores
 * nothing. Called more often than once a minute, by one thread.
 */
public final class HistoryRecorder {
  private static final long HOUR = Duration.ofHours(1).toMinutes();

  private final Supplier<ClusterState> cluster;
  private final HistoryStore store;
  private final Retention retention;
  private final InstantSource clock;
  private long recorded = Long.MIN_VALUE;
  private long trimmed = Long.MIN_VALUE;

  /**
   * How much is stored.
   *
   * @param time maximum age of a stored minute
   * @param gpuRows largest number of minutes of GPUs
   */
  public record Retention(Duration time, long gpuRows) {}

  /**
   * @param cluster what it looks like now; throws {@link NotLeadingException} where another replica
   *     knows
   */
  public HistoryRecorder(
      Supplier<ClusterState> cluster,
      HistoryStore store,
      Retention retention,
      InstantSource clock) {
    this.cluster = cluster;
    this.store = store;
    this.retention = retention;
    this.clock = clock;
  }

  /**
   * Stores the present minute unless it was stored.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException where the database cannot be used; the
   *     next call tries again
   */
  public void record() {
    long minute = minute(clock.instant());
    if (minute == recorded) {
      return;
    }
    try {
      store.add(minute, cluster.get());
    } catch (NotLeadingException e) {
      return; // the leader stores
    }
    recorded = minute;
    if (minute >= trimmed + HOUR || trimmed == Long.MIN_VALUE) {
      store.trim(
          minute - retention.time.toMinutes(),
          minute - HistoryStore.FINE.toMinutes(),
          retention.gpuRows);
      trimmed = minute;
    }
  }

  /** Minutes since 1970. */
  public static long minute(Instant instant) {
    return Math.floorDiv(instant.getEpochSecond(), 60);
  }
}
