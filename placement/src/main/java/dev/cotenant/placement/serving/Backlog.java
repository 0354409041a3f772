package dev.cotenant.placement.serving;

import dev.cotenant.placement.fleet.BatchTimes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** How many requests a server finds when it is done with a batch, as a distribution. */
final class Backlog {
  /*
   * n' = n − k + A(k), where k = min(n, b), 1 after an idle time, and A(k) is Poisson with mean
   * λ·busy(k). A larger n gives a larger n' in distribution. With busy(b) for every batch m = n − k
   * follows Lindley's recursion m' = max(0, m + A − b), for which P(m ≥ x) ≤ e^(−θx) with
   * a·(e^θ − 1) = θ·b, a = λ·busy(b) [Kingman 1964]. The chain started from m + A is never below the
   * stationary one and falls towards it, so that every iterate is an upper bound.
   */
  private static final double NEGLIGIBLE = 1e-6;
  private static final double CONVERGED = 1e-7;
  private static final int MAX_WAITING = 4096;
  private static final double OPERATIONS = 2e6;
  private static final int MIN_ITERATIONS = 4;
  private static final int MAX_ITERATIONS = 64;
  private static final double STEEPEST = 500;
  private static final int BISECTIONS = 60;

  private final int batch;
  private final Poisson[] arrivals;
  private double[] found;

  private Backlog(int batch, Poisson[] arrivals, double[] found) {
    this.batch = batch;
    this.arrivals = arrivals;
    this.found = found;
  }

  /**
   * The stationary distribution by number: an upper bound, null where the queue grows without end
   * or nearly so.
   *
   * @param arrivals while a batch of so many is served, by batch, from 1
   */
  static double @Nullable [] of(BatchTimes times, double perMilli, Poisson[] arrivals) {
    int batch = times.largest();
    double mean = perMilli * times.busyMillis(batch);
    if (!(mean < batch)) {
      return null;
    }
    double decay = decay(mean, batch);
    double last = Math.ceil(-Math.log(NEGLIGIBLE) / decay);
    if (!(last + arrivals[batch].most() <= MAX_WAITING)) {
      return null;
    }
    int size = (int) last + arrivals[batch].most() + 1;
    Backlog backlog = new Backlog(batch, arrivals, start(arrivals[batch], decay, size));
    int iterations =
        (int)
            Math.clamp(
                OPERATIONS / ((double) size * arrivals[batch].most()),
                MIN_ITERATIONS,
                MAX_ITERATIONS);
    boolean converged = false;
    for (int i = 0; i < iterations && !converged; i++) {
      converged = backlog.iterate();
    }
    return backlog.found;
  }

  /** θ. */
  private static double decay(double mean, int batch) {
    double least = 0;
    double most = STEEPEST;
    for (int i = 0; i < BISECTIONS; i++) {
      double middle = (least + most) / 2;
      if (mean * Math.expm1(middle) <= middle * batch) {
        least = middle;
      } else {
        most = middle;
      }
    }
    return Math.max(least, Double.MIN_NORMAL);
  }

  /** Distribution of m + A, with the tail in the last entry. */
  private static double[] start(Poisson arrivals, double decay, int size) {
    double[] start = new double[size];
    double factor = Math.exp(-decay);
    double tail = 1;
    for (int m = 0; m < size; m++) {
      double exactly = tail * (1 - factor);
      tail *= factor;
      for (int i = 0; i <= arrivals.most(); i++) {
        start[Math.min(size - 1, m + i)] += exactly * arrivals.exactly(i);
      }
    }
    start[size - 1] += tail;
    return start;
  }

  /** Whether hardly anything changed. */
  private boolean iterate() {
    double[] next = new double[found.length];
    for (int n = 0; n < found.length; n++) {
      int taken = Math.clamp(n, 1, batch);
      int left = Math.max(0, n - taken);
      Poisson more = arrivals[taken];
      int most = Math.min(more.most(), found.length - 1 - left);
      for (int i = 0; i < most; i++) {
        next[left + i] += found[n] * more.exactly(i);
      }
      next[left + most] += found[n] * more.atLeast(most);
    }
    double sum = Arrays.stream(next).sum();
    double change = 0;
    for (int n = 0; n < next.length; n++) {
      next[n] /= sum;
      change += Math.abs(next[n] - found[n]);
    }
    found = next;
    return change < CONVERGED;
  }
}
