package dev.cotenant.evaluation.interference;

import java.util.Random;
import java.util.function.Consumer;

/**
 * A server that takes requests in batches of a fixed size, first come first served: simulated, not
 * modelled.
 *
 * @param batch requests a batch, at least 1
 * @param inferenceMillis time of a batch, positive
 */
record BatchQueue(int batch, double inferenceMillis) {
  /*
   * A batch starts when its last request is there and the batch before it is done, and takes a fixed
   * time. Arrivals are all that is random, so the next event is always the next arrival or the start
   * of a batch, and one pass over the arrivals is the whole simulation.
   */

  /**
   * One request.
   *
   * @param queued requests that wait when it has come, itself included
   * @param executingMillis remaining time of the running batch
   * @param millis time from arrival to result
   */
  record Request(int queued, double executingMillis, double millis) {}

  /** What requests that come at these times find and get; the last, unfilled batch is left out. */
  void serve(double[] arrivals, Consumer<Request> each) {
    double[] starts = new double[arrivals.length / batch];
    for (int i = 0; i < starts.length; i++) {
      double filled = arrivals[(i + 1) * batch - 1];
      starts[i] = i == 0 ? filled : Math.max(filled, starts[i - 1] + inferenceMillis);
    }
    int started = 0;
    for (int i = 0; i < starts.length * batch; i++) {
      while (started < starts.length
          && (started + 1) * batch <= i
          && starts[started] <= arrivals[i]) {
        started++;
      }
      double running = started == 0 ? 0 : starts[started - 1] + inferenceMillis - arrivals[i];
      double done = starts[i / batch] + inferenceMillis;
      each.accept(new Request(i + 1 - started * batch, Math.max(0, running), done - arrivals[i]));
    }
  }

  /** Times of so many arrivals of a Poisson process. */
  static double[] poisson(double requestsPerMilli, int requests, long seed) {
    Random random = new Random(seed);
    double[] arrivals = new double[requests];
    double now = 0;
    for (int i = 0; i < requests; i++) {
      now -= Math.log(1 - random.nextDouble()) / requestsPerMilli;
      arrivals[i] = now;
    }
    return arrivals;
  }
}
