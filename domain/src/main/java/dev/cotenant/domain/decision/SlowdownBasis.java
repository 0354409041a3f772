package dev.cotenant.domain.decision;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.quantity.Slowdown;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What a predicted slowdown of services in partitions rests on.
 *
 * @param model which model answered
 * @param upper what the slowdown stays below in 90 % of cases
 * @param parts what each workload was taken to use
 */
public record SlowdownBasis(String model, Slowdown upper, List<Part> parts) {
  public SlowdownBasis {
    parts = List.copyOf(parts);
  }

  /**
   * A profiled service alone in its partition.
   *
   * @param workload its name
   * @param share of the device's compute
   * @param l2Percent of the device's L2 that it uses
   */
  public record Part(String workload, Share share, double l2Percent) {
    /** Copy with a different workload name. */
    public Part named(String other) {
      return new Part(other, share, l2Percent);
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "%s in %s with %.0f %% of L2", workload, share, l2Percent);
    }
  }

  /** The shares of all together, which count in place of utilizations. */
  public double sharePercent() {
    return parts.stream().mapToDouble(part -> part.share().percent()).sum();
  }

  /** On one line, for people. */
  public String sentence() {
    return "at most "
        + upper
        + " in 90 % of cases by "
        + model
        + ": "
        + parts.stream().map(Part::toString).collect(Collectors.joining(", "));
  }
}
