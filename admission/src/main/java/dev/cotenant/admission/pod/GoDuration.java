package dev.cotenant.admission.pod;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as Go and Kubernetes write them: {@code 40ms}, {@code 1.5s}, {@code 1m30s}. */
final class GoDuration {
  private static final int MAX_LENGTH = 32;
  private static final String PART = "(\\d+\\.?\\d*|\\.\\d+)(ns|us|µs|ms|s|m|h)";
  private static final Pattern WHOLE = Pattern.compile("(?:" + PART + ")+");
  private static final Pattern PARTS = Pattern.compile(PART);
  private static final Map<String, BigDecimal> NANOSECONDS =
      Map.of(
          "ns", BigDecimal.ONE,
          "us", BigDecimal.valueOf(1_000),
          "µs", BigDecimal.valueOf(1_000),
          "ms", BigDecimal.valueOf(1_000_000),
          "s", BigDecimal.valueOf(1_000_000_000L),
          "m", BigDecimal.valueOf(60_000_000_000L),
          "h", BigDecimal.valueOf(3_600_000_000_000L));

  private GoDuration() {}

  /**
   * Reads a duration of at most {@code most}, rounded to the nanosecond; empty where it is none.
   */
  static Optional<Duration> parse(String text, Duration most) {
    if (text.length() > MAX_LENGTH || !WHOLE.matcher(text).matches()) {
      return Optional.empty();
    }
    BigDecimal nanoseconds = BigDecimal.ZERO;
    Matcher parts = PARTS.matcher(text);
    while (parts.find()) {
      BigDecimal unit = NANOSECONDS.getOrDefault(parts.group(2), BigDecimal.ZERO);
      nanoseconds = nanoseconds.add(new BigDecimal(parts.group(1)).multiply(unit));
    }
    if (nanoseconds.compareTo(BigDecimal.valueOf(most.toNanos())) > 0) {
      return Optional.empty();
    }
    return Optional.of(
        Duration.ofNanos(nanoseconds.setScale(0, RoundingMode.HALF_UP).longValueExact()));
  }
}
