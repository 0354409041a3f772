package dev.cotenant.placement.serving;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.domain.quantity.Rounding;
import dev.cotenant.placement.fleet.BatchTimes;
import org.jspecify.annotations.Nullable;

/**
 * Latency of requests at a server that starts a batch of all waiting requests, up to its limit,
 * whenever it is free: the queue of {@link dev.cotenant.placement.fleet.RequestQueue} with Poisson
 * arrivals, without a simulation.
 *
 * <p>A queue with bulk service [Bailey 1954; for times that depend on the batch, Neuts 1967],
 * solved from above: the stationary backlog is approached from an upper bound [Kingman 1964], and
 * the time of an arrival within a batch is rounded to the side of more latency, so that the answer
 * is not below the true figure but for rounding. Immutable.
 */
public final class BulkQueue {
  /*
   * A request that comes u after the start of a batch of k, of n that waited, finds j = n − k + A(u)
   * before it. Its batch is the one after floor(j / b) full ones:
   * latency = busy(k) − u + floor(j / b)·busy(b) + latency(size). With floor(j / b) = 0 the size is
   * min(b, n − k + 1 + A(busy(k))): the others of a Poisson stream that come within the batch do not
   * depend on it. Who comes to an idle server waits for nothing. Requests that come in one state are
   * as many as its time allows (PASTA).
   */
  /** The largest evaluated batch; servers with larger ones count as limited to it. */
  public static final int MAX_BATCH = 256;

  private static final double LATE = 0.01;
  private static final int CELLS = 16;

  /** Queues that {@link #largestFactor} solves. */
  static final int BISECTIONS = 18;

  private final BatchTimes times;
  private final double perMilli;
  private final Poisson[] arrivals;
  private final Poisson[][] within;
  private final double @Nullable [] backlog;

  /**
   * A server with these times.
   *
   * @param times by batch size, from one to the largest, non-decreasing
   * @param requestsPerSecond positive
   */
  public BulkQueue(BatchTimes times, double requestsPerSecond) {
    requirePositive("request rate", requestsPerSecond);
    this.times = times;
    perMilli = requestsPerSecond / Milliseconds.PER_SECOND;
    int batch = times.largest();
    arrivals = new Poisson[batch + 1];
    within = new Poisson[batch + 1][];
    if (!(perMilli * times.busyMillis(batch) < batch)) {
      backlog = null;
      return;
    }
    for (int k = 1; k <= batch; k++) {
      boolean same = k > 1 && times.busyMillis(k) == times.busyMillis(k - 1);
      arrivals[k] = same ? arrivals[k - 1] : new Poisson(perMilli * times.busyMillis(k));
      within[k] = same ? within[k - 1] : cells(perMilli * times.busyMillis(k));
    }
    backlog = Backlog.of(times, perMilli, arrivals);
  }

  private static Poisson[] cells(double mean) {
    Poisson[] cells = new Poisson[CELLS];
    for (int c = 0; c < CELLS; c++) {
      cells[c] = new Poisson(mean * (c + 1) / CELLS);
    }
    return cells;
  }

  /**
   * Times of a server without neighbours whose batches all take as long as the largest.
   *
   * @param batch the largest, at least 1; beyond {@link #MAX_BATCH} that
   * @param millis of a batch
   */
  public static BatchTimes constant(int batch, double millis) {
    BatchTimes times = new BatchTimes(Math.min(batch, MAX_BATCH));
    for (int k = 1; k <= times.largest(); k++) {
      times.set(k, millis, millis);
    }
    return times;
  }

  /** Times that are longer by a factor. */
  public static BatchTimes scaled(BatchTimes times, double factor) {
    BatchTimes scaled = new BatchTimes(times.largest());
    for (int k = 1; k <= times.largest(); k++) {
      scaled.set(k, factor * times.latencyMillis(k), factor * times.busyMillis(k));
    }
    return scaled;
  }

  /**
   * The largest factor by which every time may grow while 99 of 100 requests stay within an
   * objective; below 1 where they do not with the times as they are, 0 where no factor does.
   *
   * @param objectiveMillis positive
   */
  public static double largestFactor(
      BatchTimes times, double requestsPerSecond, double objectiveMillis) {
    requirePositive("latency objective", objectiveMillis);
    int batch = times.largest();
    double shortest = times.latencyMillis(1);
    double longest = times.busyMillis(batch) * requestsPerSecond / Milliseconds.PER_SECOND;
    double most = Math.min(objectiveMillis / shortest, batch / longest);
    if (!(most > 0 && most < Double.POSITIVE_INFINITY)) {
      return 0;
    }
    double least = 0;
    for (int i = 0; i < BISECTIONS; i++) {
      double middle = (least + most) / 2;
      if (new BulkQueue(scaled(times, middle), requestsPerSecond).keeps(objectiveMillis)) {
        least = middle;
      } else {
        most = middle;
      }
    }
    return least;
  }

  /** Whether 99 of 100 requests are served within an objective. */
  public boolean keeps(double objectiveMillis) {
    return lateShare(objectiveMillis) <= LATE;
  }

  /** 99 of 100 requests take at most so long; infinite where the queue grows without end. */
  public double p99Millis() {
    if (backlog == null) {
      return Double.POSITIVE_INFINITY;
    }
    int batch = times.largest();
    double least = 0;
    double most = times.busyMillis(batch) + times.latencyMillis(batch);
    while (lateShare(most) > LATE) {
      least = most;
      most *= 2;
    }
    for (int i = 0; i < BISECTIONS; i++) {
      double middle = (least + most) / 2;
      if (lateShare(middle) <= LATE) {
        most = middle;
      } else {
        least = middle;
      }
    }
    return most;
  }

  /** The share of requests that take longer, 1 where the queue grows without end. */
  public double lateShare(double millis) {
    double[] waiting = backlog;
    if (waiting == null || times.latencyMillis(1) > millis * (1 + Rounding.SLACK)) {
      return 1;
    }
    double all = waiting[0];
    double late = 0;
    for (int n = 0; n < waiting.length; n++) {
      int taken = Math.clamp(n, 1, times.largest());
      double requests = waiting[n] * perMilli * times.busyMillis(taken);
      all += requests;
      late += requests * lateShare(Math.max(0, n - taken), taken, millis);
    }
    return late / all;
  }

  /**
   * Share of late requests among those that arrive during a batch with {@code left} requests left
   * behind.
   */
  private double lateShare(int left, int taken, double millis) {
    int batch = times.largest();
    double full = times.busyMillis(batch);
    double sum = 0;
    for (int c = 0; c < CELLS; c++) {
      double rest = millis * (1 + Rounding.SLACK) - times.busyMillis(taken) * (CELLS - c) / CELLS;
      if (rest < times.latencyMillis(batch)) {
        int size = firstLongerThan(rest);
        sum += arrivals[taken].atLeast(size - left - 1);
      } else {
        double between = Math.floor((rest - times.latencyMillis(batch)) / full) + 1;
        double ahead = batch * between - left;
        sum += ahead > Integer.MAX_VALUE ? 0 : within[taken][c].atLeast((int) ahead);
      }
    }
    return sum / CELLS;
  }

  /** Smallest batch that takes longer; one must exist. */
  private int firstLongerThan(double millis) {
    int least = 1;
    int most = times.largest();
    while (least < most) {
      int middle = (least + most) >>> 1;
      if (times.latencyMillis(middle) > millis) {
        most = middle;
      } else {
        least = middle + 1;
      }
    }
    return least;
  }

  private static void requirePositive(String what, double value) {
    if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
      throw InputException.invalidArgument(
          "queue-out-of-range",
          "The " + what + " of a queue must be above 0 and finite, is " + value + ".");
    }
  }
}
