package dev.cotenant.lab.figure;

import dev.cotenant.learning.quantile.StudentT;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A figure of ours beside the published one.
 *
 * @param table such as {@code Table 4}
 * @param policy who decided
 * @param metric name and unit, such as {@code makespan_seconds}
 * @param ours over the seeds
 * @param published null where the source has no such figure
 * @param bar null where none is set
 * @param reading why the two differ, or what stands in for an input that was not published
 */
public record Cell(
    String table,
    String policy,
    String metric,
    Sample ours,
    @Nullable Double published,
    @Nullable Bar bar,
    String reading) {
  private static final double LEVEL = 0.95;

  /**
   * A figure over seeds.
   *
   * @param mean over the seeds
   * @param halfWidth half of the 95 % interval of the mean by Student's t; 0 for one seed
   * @param seeds how many
   */
  public record Sample(double mean, double halfWidth, int seeds) {
    public static Sample of(List<Double> values) {
      int n = values.size();
      double mean = values.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
      double squares = values.stream().mapToDouble(v -> (v - mean) * (v - mean)).sum();
      double deviation = n < 2 ? 0 : Math.sqrt(squares / (n - 1));
      return new Sample(mean, StudentT.halfWidth(LEVEL, deviation, n), n);
    }
  }

  /**
   * A limit of a mean.
   *
   * @param side on which it holds
   * @param value the limit
   */
  public record Bar(Side side, double value) {
    /** Side of the limit required of the mean. */
    public enum Side {
      AT_LEAST,
      AT_MOST
    }

    public static Bar atLeast(double value) {
      return new Bar(Side.AT_LEAST, value);
    }

    public static Bar atMost(double value) {
      return new Bar(Side.AT_MOST, value);
    }

    /** Whether a mean is on its side. */
    public boolean isMetBy(double mean) {
      return switch (side) {
        case AT_LEAST -> mean >= value;
        case AT_MOST -> mean <= value;
      };
    }
  }

  /** Whether the bar holds; true without one. */
  public boolean meetsItsBar() {
    Bar limit = bar;
    return limit == null || limit.isMetBy(ours.mean());
  }

  /** Everything under its key; null where there is no such figure. */
  public Map<String, @Nullable Object> asMap() {
    Bar limit = bar;
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("table", table);
    all.put("policy", policy);
    all.put("metric", metric);
    all.put("ours", ours.mean());
    all.put("half_width_95", ours.halfWidth());
    all.put("seeds", ours.seeds());
    all.put("published", published);
    all.put("bar_side", limit == null ? null : limit.side().name());
    all.put("bar", limit == null ? null : limit.value());
    all.put("bar_met", limit == null ? null : meetsItsBar());
    all.put("reading", reading);
    return all;
  }
}
