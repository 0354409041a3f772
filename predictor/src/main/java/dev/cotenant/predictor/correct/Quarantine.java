package dev.cotenant.predictor.correct;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Leaves single outliers out of a training: a job that died or waited for its data once says
 * nothing of the next.
 *
 * <p>A run is an outlier where its error lies farther from the median of its platform than five
 * robust standard deviations and a factor of three, and no other run of its family there agrees
 * with it within two fifths. A second run that agrees releases both.
 */
final class Quarantine {
  private static final int MIN_RUNS = 5;
  private static final double MIN_DISTANCE = Math.log(3);
  private static final double DEVIATIONS = 5;

  /** From the median absolute deviation to a normal standard deviation. */
  private static final double TO_DEVIATION = 1.4826;

  private static final double AGREEMENT = Math.log(1.4);

  private Quarantine() {}

  /**
   * Residuals after quarantine.
   *
   * @param trusted without outliers, in their order
   * @param outliers how many were left out
   */
  record Sorted(List<Residual> trusted, int outliers) {}

  /** Leaves outliers out. */
  static Sorted sort(List<Residual> residuals) {
    Map<String, List<Residual>> platforms = new TreeMap<>();
    residuals.forEach(residual ->
        platforms.computeIfAbsent(residual.platform(), _ -> new ArrayList<>()).add(residual));
    List<Residual> trusted =
        residuals.stream()
            .filter(residual ->
                !isOutlier(residual, platforms.getOrDefault(residual.platform(), List.of())))
            .toList();
    return new Sorted(trusted, residuals.size() - trusted.size());
  }

  private static boolean isOutlier(Residual residual, List<Residual> platform) {
    if (platform.size() < MIN_RUNS) {
      return false;
    }
    double median = median(platform.stream().mapToDouble(Residual::error).toArray());
    double spread =
        TO_DEVIATION
            * median(
                platform.stream().mapToDouble(one -> Math.abs(one.error() - median)).toArray());
    return Math.abs(residual.error() - median) > Math.max(MIN_DISTANCE, DEVIATIONS * spread)
        && platform.stream().filter(other -> agrees(residual, other)).count() < 2;
  }

  private static boolean agrees(Residual residual, Residual other) {
    return other.family().equals(residual.family())
        && Math.abs(other.error() - residual.error()) <= AGREEMENT;
  }

  private static double median(double... values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }
}
