package dev.cotenant.domain.prediction;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.prediction.StepTimeEstimate.Capacity;
import dev.cotenant.domain.quantity.Utilization;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Inference of one workload alone on one device, as a function of its request rate. One request is
 * one sample; requests run in full batches.
 *
 * @param batchSize samples in a batch, at least 1
 * @param step wall time of a batch
 * @param busy time in which kernels run for a batch
 */
public record Serving(int batchSize, StepTimeEstimate step, StepTimeEstimate busy) {
  private static final double NEXT_RATE = 10;
  private static final int MAX_RATES = 9;

  /** The utilization at one rate. */
  public record AtRate(double requestsPerSecond, UtilizationEstimate utilization) {}

  /** Rate of back-to-back batches. */
  public Capacity capacity() {
    return step.capacity(batchSize);
  }

  /** Utilization at a rate: rate / batch × busy time, at most 100 %. */
  public UtilizationEstimate at(double requestsPerSecond) {
    double batches = requestsPerSecond / batchSize;
    return new UtilizationEstimate(
        percent(batches * busy.meanSeconds()),
        percent(batches * busy.lowerSeconds()),
        percent(batches * busy.upperSeconds()),
        busy.coverage(),
        busy.group());
  }

  private static Utilization percent(double share) {
    return Utilization.ofPercentClipped(100 * share);
  }

  /** Utilization at the mean capacity. */
  public UtilizationEstimate atCapacity() {
    return at(capacity().meanPerSecond());
  }

  /** Utilization at 1, 10, 100, … requests per second below the mean capacity, and there. */
  public List<AtRate> byRate() {
    double most = capacity().meanPerSecond();
    List<AtRate> points = new ArrayList<>();
    for (double rate = 1; rate < most && points.size() < MAX_RATES; rate *= NEXT_RATE) {
      points.add(new AtRate(rate, at(rate)));
    }
    points.add(new AtRate(most, atCapacity()));
    return points;
  }

  /** Whether a rate exceeds the upper bound of the capacity. */
  public boolean isImpossible(double requestsPerSecond) {
    return requestsPerSecond > capacity().upperPerSecond();
  }

  /** A rate and the capacity that it exceeds, or that it may exceed, in words. */
  public String comparison(double requestsPerSecond) {
    Capacity capacity = capacity();
    return "The request rate of "
        + text(requestsPerSecond)
        + "/s "
        + (isImpossible(requestsPerSecond) ? "exceeds" : "may exceed")
        + " the capacity of "
        + text(capacity.meanPerSecond())
        + "/s (bounds "
        + text(capacity.lowerPerSecond())
        + " to "
        + text(capacity.upperPerSecond())
        + "/s) at batch "
        + batchSize;
  }

  /** A rate in words: {@code 173.6}. */
  public static String text(double perSecond) {
    return String.format(Locale.ROOT, perSecond < 10 ? "%.3g" : "%,.1f", perSecond);
  }

  /**
   * Refuses a rate above the upper bound of the capacity.
   *
   * @throws InputException {@code request-rate-above-capacity}
   */
  void requirePossible(double requestsPerSecond, String device) {
    if (isImpossible(requestsPerSecond)) {
      throw InputException.invalidArgument(
          "request-rate-above-capacity",
          comparison(requestsPerSecond)
              + " on "
              + device
              + ": lower the rate, raise the batch or use another device.");
    }
  }
}
