package dev.cotenant.serving.rate;

import dev.cotenant.learning.quantile.Quantiles;
import java.util.ArrayList;
import java.util.List;

/**
 * What is remembered of a service's observed rates: their moving average, as gpu-lets tracks rates
 * [gpu-lets, section 5], the last one, and by how much each exceeded what was expected. Immutable.
 *
 * @param average requests per second
 * @param last requests per second
 * @param excesses relative excesses of the last rates over the expected ones, oldest first
 */
public record RateMemory(double average, double last, List<Double> excesses) {
  /*
   * Expected is the larger of average and last rate, which trails neither a step up nor a ramp by
   * more than one interval. The bound of the next rate is the conformal quantile of the last 32
   * excesses on top: noise and ramps widen it, a single step does not, from 20 excesses on.
   */
  private static final int KEPT = 32;
  private static final int ENOUGH = 20;
  private static final double UNKNOWN = 0.1;

  public RateMemory {
    requireRate(average);
    requireRate(last);
    excesses = List.copyOf(excesses);
  }

  /** A service whose rate is stated and was not observed yet. */
  public static RateMemory stated(double requestsPerSecond) {
    return new RateMemory(requestsPerSecond, requestsPerSecond, List.of());
  }

  private static void requireRate(double requestsPerSecond) {
    if (!(requestsPerSecond >= 0 && requestsPerSecond < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "a rate must be at least 0 and finite, is " + requestsPerSecond);
    }
  }

  /**
   * State after a further observation.
   *
   * @param requestsPerSecond in the last interval
   * @param weight weight of the observation in the average, above 0 to 1
   */
  public RateMemory with(double requestsPerSecond, double weight) {
    requireRate(requestsPerSecond);
    List<Double> all = new ArrayList<>(excesses);
    if (expected() > 0) {
      all.add((requestsPerSecond - expected()) / expected());
    }
    return new RateMemory(
        average + weight * (requestsPerSecond - average),
        requestsPerSecond,
        all.subList(Math.max(0, all.size() - KEPT), all.size()));
  }

  private double expected() {
    return Math.max(average, last);
  }

  /**
   * Upper bound of the next rate with a probability of {@code coverage}, if rates behave like the
   * last ones; a tenth above the expected rate with fewer than 20 observations.
   */
  public double bound(double coverage) {
    double excess =
        excesses.size() < ENOUGH
            ? UNKNOWN
            : Quantiles.conformal(excesses.stream().mapToDouble(each -> each).toArray(), coverage);
    return expected() * (1 + Math.max(0, excess));
  }
}
