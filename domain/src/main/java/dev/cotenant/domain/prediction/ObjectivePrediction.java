package dev.cotenant.domain.prediction;

import dev.cotenant.domain.quantity.Nanoseconds;
import dev.cotenant.domain.quantity.Share;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Whether a service keeps its latency objective on a device: 99 of 100 requests within it, queueing
 * included.
 *
 * @param objective of a request
 * @param requestsPerSecond that come; null where not known, and then queueing is not counted
 * @param aloneSeconds what 99 of 100 requests take at most, alone; infinite where the rate is above
 *     the capacity
 * @param mostSlowdown by how much every step may be slowed down while the objective is met, 0 or
 *     more; below 1 the objective is missed alone
 * @param mostPerSecond the largest rate, at most the stated one, with which the objective is met
 *     alone; 0 where with none
 * @param share share limit of the device's compute, which {@code aloneSeconds} and {@code
 *     mostSlowdown} refer to; the whole device without a limit
 * @param fitting what would keep the objective there alone; null where it is met, or nothing would
 * @param smaller shares in which the objective is met as well, with less slack, ascending
 * @param isRateMeasured whether the rate was measured, because none is stated
 */
public record ObjectivePrediction(
    Duration objective,
    @Nullable Double requestsPerSecond,
    double aloneSeconds,
    double mostSlowdown,
    double mostPerSecond,
    Share share,
    @Nullable Fitting fitting,
    List<SmallerShare> smaller,
    boolean isRateMeasured) {
  private static final double MILLIS = 1e3;

  /**
   * A batch that meets the objective.
   *
   * @param batch largest batch of the service
   * @param share of the device's compute that it needs then
   */
  public record Fitting(int batch, Share share) {
    @Override
    public String toString() {
      return "batch " + batch + (share.equals(Share.WHOLE) ? "" : " in a share of " + share);
    }
  }

  /**
   * A smaller share of the device in which the objective is met.
   *
   * @param share of the device's compute
   * @param utilizationFactor utilization in it over that in the larger share, at least 1
   * @param aloneSeconds what 99 of 100 requests take at most, alone
   * @param mostSlowdown by how much every step may be slowed down while the objective is met, at
   *     least 1
   */
  public record SmallerShare(
      Share share, double utilizationFactor, double aloneSeconds, double mostSlowdown) {}

  public ObjectivePrediction {
    smaller = List.copyOf(smaller);
  }

  /** Without advice on a fitting batch. */
  public ObjectivePrediction(
      Duration objective,
      @Nullable Double requestsPerSecond,
      double aloneSeconds,
      double mostSlowdown,
      double mostPerSecond,
      Share share) {
    this(
        objective,
        requestsPerSecond,
        aloneSeconds,
        mostSlowdown,
        mostPerSecond,
        share,
        null,
        List.of(),
        false);
  }

  /** Copy that marks the rate as measured. */
  public ObjectivePrediction withMeasuredRate() {
    return with(fitting, smaller, true);
  }

  /** Copy with a batch that meets the objective. */
  public ObjectivePrediction withFitting(Fitting better) {
    return with(better, smaller, isRateMeasured);
  }

  /** Copy with smaller shares that meet the objective as well. */
  public ObjectivePrediction withSmaller(List<SmallerShare> shares) {
    return with(fitting, shares, isRateMeasured);
  }

  private ObjectivePrediction with(
      @Nullable Fitting better, List<SmallerShare> shares, boolean measured) {
    return new ObjectivePrediction(
        objective,
        requestsPerSecond,
        aloneSeconds,
        mostSlowdown,
        mostPerSecond,
        share,
        better,
        shares,
        measured);
  }

  /** The prediction at a smaller share. */
  ObjectivePrediction in(SmallerShare other) {
    return new ObjectivePrediction(
        objective,
        requestsPerSecond,
        other.aloneSeconds(),
        other.mostSlowdown(),
        mostPerSecond,
        other.share(),
        null,
        List.of(),
        isRateMeasured);
  }

  /** Whether it is missed even alone. */
  public boolean isMissed() {
    return mostSlowdown < 1;
  }

  /** How many replicas keep it where they part the rate evenly; 0 where no number does. */
  public long replicas() {
    Double rate = requestsPerSecond;
    return rate == null || mostPerSecond == 0 ? 0 : (long) Math.ceil(rate / mostPerSecond);
  }

  /** Seconds of the objective. */
  public double objectiveSeconds() {
    return objective.toNanos() / Nanoseconds.PER_SECOND;
  }

  /** The objective with its rate: {@code 50 ms at 20/s}, {@code 50 ms at 20/s (measured)}. */
  public String target() {
    Double rate = requestsPerSecond;
    return millis(objectiveSeconds())
        + (rate == null ? "" : " at " + Serving.text(rate) + "/s")
        + (isRateMeasured ? " (measured)" : "");
  }

  /** The objective with the tolerated slowdown, on one line for people. */
  public String sentence() {
    return "objective "
        + target()
        + ", alone "
        + millis(aloneSeconds)
        + (share.equals(Share.WHOLE) ? "" : " in a share of " + share)
        + String.format(Locale.ROOT, ", met up to %.2fx", Math.floor(100 * mostSlowdown) / 100);
  }

  /**
   * Explains a missed objective at a batch, with the remedy, for people.
   *
   * @param batch largest batch of the service
   */
  public String missed(int batch) {
    return (isOverloaded()
            ? "the request rate is above the capacity"
            : "99 % of requests would take up to " + millis(aloneSeconds))
        + " alone with batch "
        + batch
        + ", objective "
        + target()
        + "; "
        + withThisBatch()
        + (fitting == null ? "" : "; " + fitting + " would keep it there");
  }

  private boolean isOverloaded() {
    return Double.isInfinite(aloneSeconds);
  }

  private String withThisBatch() {
    return replicas() == 0
        ? "a smaller batch or a faster device is needed"
        : (isOverloaded() ? "a larger batch, a faster device, or " : "")
            + replicas()
            + " replicas with at most "
            + Serving.text(mostPerSecond)
            + "/s each are needed";
  }

  /** Milliseconds in words: {@code 12.3 ms}. */
  public static String millis(double seconds) {
    double millis = seconds * MILLIS;
    return String.format(Locale.ROOT, millis < 100 ? "%.3g ms" : "%,.0f ms", millis);
  }
}
