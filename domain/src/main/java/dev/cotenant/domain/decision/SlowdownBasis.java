package dev.cotenant.domain.decision;

import dev.cotenant.domain.quantity.Slowdown;
import java.util.List;
import java.util.Locale;
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

  /**
   * One workload, alone on the device.
   *
   * @param workload its name
   * @param utilizationPercent time any kernel runs, 0 to 100
   * @param bandwidthPercent time memory is read or written, 0 to 100
   */
  public record Part(String workload, double utilizationPercent, double bandwidthPercent) {
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
