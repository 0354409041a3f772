package dev.cotenant.domain.decision;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.quantity.Slowdown;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/**
 * What a predicted slowdown rests on.
 *
 * @param model which model answered
 * @param upper what the slowdown stays below in 90 % of cases
 * @param parts what each workload was taken to use
 */
public record SlowdownBasis(String model, Slowdown upper, List<Part> parts) {
  public SlowdownBasis {
    parts = List.copyOf(parts);
  }

  /** What one workload was taken to use. */
  public sealed interface Part {
    String workload();

    /** The same of a workload with this name. */
    Part named(String other);
  }

  /**
   * Alone on the device, shared in time.
   *
   * @param workload its name
   * @param utilizationPercent time any kernel runs, 0 to 100
   * @param bandwidthPercent time memory is read or written, 0 to 100
   */
  public record InTime(String workload, double utilizationPercent, double bandwidthPercent)
      implements Part {
    @Override
    public Part named(String other) {
      return new InTime(other, utilizationPercent, bandwidthPercent);
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%s %.0f %% busy with %.0f %% of bandwidth",
          workload,
          utilizationPercent,
          bandwidthPercent);
    }
  }

  /**
   * A profiled service alone in its partition.
   *
   * @param workload its name
   * @param share of the device's compute
   * @param l2Percent of the device's L2 that it uses
   */
  public record InPartition(String workload, Share share, double l2Percent) implements Part {
    @Override
    public Part named(String other) {
      return new InPartition(other, share, l2Percent);
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "%s in %s with %.0f %% of L2", workload, share, l2Percent);
    }
  }

  /**
   * The shares of all together, which count in place of utilizations; empty where not all are
   * profiled services in partitions.
   */
  public OptionalDouble sharePercent() {
    return parts.isEmpty() || !parts.stream().allMatch(InPartition.class::isInstance)
        ? OptionalDouble.empty()
        : OptionalDouble.of(
            parts.stream()
                .mapToDouble(
                    part -> part instanceof InPartition(_, Share share, _) ? share.percent() : 0)
                .sum());
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
