package dev.cotenant.domain.forecast;

import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one estimator says about a device's used memory, or why it says nothing.
 *
 * @param estimator which one, such as {@code cbp}
 * @param result its figures, or why it passed on
 * @param horizon how far ahead it looks
 * @param samples how many samples it saw
 * @param age age of the newest sample when the forecast was made; null without samples
 */
public record MemoryForecast(
    String estimator, Result result, Duration horizon, int samples, @Nullable Duration age) {

  /** Figures, or a reason for having none. */
  public sealed interface Result {
    /** Why the estimator answers, or why not, with the numbers it looked at. */
    String reason();
  }

  /**
   * The estimator answers.
   *
   * @param next used memory at the next sample
   * @param peak the most used over the horizon
   * @param peakUpper bound on the peak that holds in {@code coverage} of cases; equals {@code peak}
   *     where the estimator states none
   * @param coverage null where the estimator states no bound
   * @param assumed whether {@code peakUpper} is a share of capacity, since the series is too short
   *     to say anything of the peak
   */
  public record Applies(
      String reason,
      MemorySize next,
      MemorySize peak,
      MemorySize peakUpper,
      @Nullable Coverage coverage,
      boolean assumed)
      implements Result {
    /** Of what the series shows. */
    public Applies(
        String reason,
        MemorySize next,
        MemorySize peak,
        MemorySize peakUpper,
        @Nullable Coverage coverage) {
      this(reason, next, peak, peakUpper, coverage, false);
    }
  }

  /** The estimator does not apply; the next estimator of the chain is used. */
  public record Abstained(String reason) implements Result {}
}
