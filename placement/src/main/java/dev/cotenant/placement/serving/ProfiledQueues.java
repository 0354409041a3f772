package dev.cotenant.placement.serving;

import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.profile.ProfiledPartition;
import dev.cotenant.placement.fleet.BatchTimes;
import dev.cotenant.placement.serving.QueueAnswers.SpentException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answers of {@link BulkQueue} about services in partitions whose profile has the time of every
 * batch, remembered. Safe for use by several threads.
 */
final class ProfiledQueues {
  /** Those used last; pods of one service have the same questions. */
  private static final int MAX_REMEMBERED = 4_096;

  private final Map<Server, Answer> remembered =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Server, Answer> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };

  /**
   * A service alone in its partition.
   *
   * @param factor by which every time is longer than the profile's, for a bound
   * @param objectiveMillis latency objective of a request
   */
  record Server(
      ProfiledPartition partition, double factor, double objectiveMillis, double perSecond) {
    /**
     * Times of every batch up to the largest, none shorter than that of a smaller one; infinite
     * where the profile gives none. A batch below the smallest that was profiled counts as that.
     */
    private BatchTimes times() {
      BatchTimes times = new BatchTimes(Math.min(partition.batch(), BulkQueue.MAX_BATCH));
      GpuState state = new GpuState(partition.device(), 1);
      double latency = 0;
      double busy = 0;
      for (int k = 1; k <= times.largest(); k++) {
        int batch =
            Math.max(k, Math.min(partition.batch(), partition.profile().range().minBatch()));
        state.clear();
        state.placeProfiled(partition.profile(), batch, partition.share().percent());
        if (state.evaluate() != GpuState.Status.VALID) {
          return new BatchTimes(times.largest());
        }
        latency = Math.max(latency, factor * state.latencyMillis(0));
        double each = Milliseconds.PER_SECOND * batch / state.throughputPerSecond(0);
        busy = Math.max(busy, factor * each);
        times.set(k, latency, busy);
      }
      return times;
    }
  }

  /**
   * How a service does.
   *
   * @param mostSlowdown the largest factor by which every time may grow while the objective is met,
   *     0 where it is not with any
   * @param p99Millis what 99 of 100 requests take at most; infinite where the queue grows without
   *     end
   */
  record Answer(double mostSlowdown, double p99Millis) {}

  /** The answer about a service. */
  Answer answer(Server server, QueueEffort effort) throws SpentException {
    synchronized (remembered) {
      @Nullable Answer known = remembered.get(server);
      if (known != null) {
        return known;
      }
    }
    if (effort.isSpent()) {
      throw new SpentException();
    }
    BatchTimes times = server.times();
    Answer answer =
        times.latencyMillis(1) < Double.POSITIVE_INFINITY
            ? new Answer(
                BulkQueue.largestFactor(times, server.perSecond(), server.objectiveMillis()),
                new BulkQueue(times, server.perSecond()).p99Millis())
            : new Answer(0, Double.POSITIVE_INFINITY);
    effort.spend(BulkQueue.BISECTIONS + 1);
    synchronized (remembered) {
      remembered.put(server, answer);
    }
    return answer;
  }
}
