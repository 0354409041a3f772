package dev.cotenant.placement.fleet;

import dev.cotenant.domain.quantity.Milliseconds;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A server that starts a batch of all waiting requests, up to its limit, whenever it is free: the
 * kernel of {@link RequestSimulation}, one pass over the arrivals.
 */
public final class RequestQueue {
  private RequestQueue() {}

  /**
   * From arrival to result of each request, milliseconds.
   *
   * @param arrivals times in milliseconds, ascending
   * @param times by batch size, from one to the largest
   */
  public static double[] latenciesMillis(double[] arrivals, BatchTimes times) {
    int batch = times.largest();
    double[] latencies = new double[arrivals.length];
    double free = 0;
    int next = 0;
    while (next < arrivals.length) {
      double start = Math.max(free, arrivals[next]);
      int end = next + 1;
      while (end < arrivals.length && end - next < batch && arrivals[end] <= start) {
        end++;
      }
      int size = end - next;
      double done = start + times.latencyMillis(size);
      while (next < end) {
        latencies[next] = done - arrivals[next];
        next++;
      }
      free = start + times.busyMillis(size);
    }
    return latencies;
  }

  /**
   * The same of several services whose batches take turns; one without a waiting request is
   * skipped.
   *
   * @param arrivals by service
   * @param times by service
   */
  static double[][] latenciesMillis(double[][] arrivals, BatchTimes[] times) {
    if (arrivals.length == 1) {
      return new double[][] {latenciesMillis(arrivals[0], times[0])};
    }
    return new RoundRobinServer(arrivals, times).serve();
  }

  /** A server whose services take turns. */
  private static final class RoundRobinServer {
    private final double[][] arrivals;
    private final BatchTimes[] times;
    private final double[][] latencies;
    private final int[] next;

    RoundRobinServer(double[][] arrivals, BatchTimes[] times) {
      this.arrivals = arrivals;
      this.times = times;
      next = new int[arrivals.length];
      latencies = new double[arrivals.length][];
      for (int i = 0; i < arrivals.length; i++) {
        latencies[i] = new double[arrivals[i].length];
      }
    }

    double[][] serve() {
      double now = 0;
      int turn = 0;
      while (now < Double.POSITIVE_INFINITY) {
        int chosen = waiting(now, turn);
        if (chosen < 0) {
          now = earliest();
        } else {
          now += batch(chosen, now);
          turn = (chosen + 1) % next.length;
        }
      }
      for (int i = 0; i < next.length; i++) {
        Arrays.fill(latencies[i], next[i], latencies[i].length, Double.POSITIVE_INFINITY);
      }
      return latencies;
    }

    private int waiting(double now, int turn) {
      for (int k = 0; k < next.length; k++) {
        int i = (turn + k) % next.length;
        if (next[i] < arrivals[i].length && arrivals[i][next[i]] <= now) {
          return i;
        }
      }
      return -1;
    }

    private double earliest() {
      double earliest = Double.POSITIVE_INFINITY;
      for (int i = 0; i < next.length; i++) {
        if (next[i] < arrivals[i].length) {
          earliest = Math.min(earliest, arrivals[i][next[i]]);
        }
      }
      return earliest;
    }

    private double batch(int own, double now) {
      int first = next[own];
      int most = Math.min(arrivals[own].length, first + times[own].largest());
      int end = first;
      while (end < most && arrivals[own][end] <= now) {
        end++;
      }
      double done = now + times[own].latencyMillis(end - first);
      for (int i = first; i < end; i++) {
        latencies[own][i] = done - arrivals[own][i];
      }
      next[own] = end;
      return times[own].busyMillis(end - first);
    }
  }

  /** Arrival times in milliseconds, the first after one interval. */
  public static double[] arrivals(
      Arrivals kind, double requestsPerSecond, int requests, long seed) {
    double interval = Milliseconds.PER_SECOND / requestsPerSecond;
    double[] arrivals = new double[requests];
    SplittableRandom random = new SplittableRandom(seed);
    double now = 0;
    for (int i = 0; i < requests; i++) {
      now +=
          switch (kind) {
            case CONSTANT -> interval;
            case POISSON -> -Math.log(1 - random.nextDouble()) * interval;
          };
      arrivals[i] = now;
    }
    return arrivals;
  }
}
