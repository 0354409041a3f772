package dev.cotenant.placement.fleet;

import java.util.Arrays;

/** How long batches of one up to the largest take; infinite where not set. */
public final class BatchTimes {
  private final double[] latencyMillis;
  private final double[] busyMillis;

  /** Without figures. */
  public BatchTimes(int largest) {
    latencyMillis = new double[largest];
    busyMillis = new double[largest];
    Arrays.fill(latencyMillis, Double.POSITIVE_INFINITY);
    Arrays.fill(busyMillis, Double.POSITIVE_INFINITY);
  }

  /**
   * How long a batch takes.
   *
   * @param requests in the batch, 1 to the largest
   * @param latency t_inf, milliseconds
   * @param busy t_gpu + t_feedback, after which the partition takes the next batch
   */
  public void set(int requests, double latency, double busy) {
    latencyMillis[requests - 1] = latency;
    busyMillis[requests - 1] = busy;
  }

  /** The largest batch. */
  public int largest() {
    return latencyMillis.length;
  }

  /** t_inf of so many requests. */
  public double latencyMillis(int requests) {
    return latencyMillis[requests - 1];
  }

  /** t_gpu + t_feedback of so many requests. */
  public double busyMillis(int requests) {
    return busyMillis[requests - 1];
  }
}
