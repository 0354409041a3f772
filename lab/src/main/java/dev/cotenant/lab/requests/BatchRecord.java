package dev.cotenant.lab.requests;

/** Counts of the batches of one service while it runs. */
final class BatchRecord {
  private static final double NANOS_PER_MILLI = 1e6;

  private long batches;
  private long planned;
  private long requests;
  private double waitNanos;
  private double latencyNanos;

  /**
   * A batch starts.
   *
   * @param most its planned size
   * @param size its size
   * @param waited Σ over its requests, nanoseconds
   * @param latency until its result, nanoseconds
   */
  void add(int most, int size, double waited, long latency) {
    batches++;
    planned += most;
    requests += size;
    waitNanos += waited;
    latencyNanos += (double) size * latency;
  }

  /** Means so far; requires a batch. */
  ServingTotals.Batches totals(String service) {
    return new ServingTotals.Batches(
        service,
        (double) planned / batches,
        (double) requests / batches,
        waitNanos / requests / NANOS_PER_MILLI,
        latencyNanos / requests / NANOS_PER_MILLI);
  }
}
