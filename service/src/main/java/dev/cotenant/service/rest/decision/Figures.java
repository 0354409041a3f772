package dev.cotenant.service.rest.decision;

import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats numbers for tables and sentences; a dash if absent. */
final class Figures {
  private static final String NONE = "-";
  private static final long MINUTE_SECONDS = 60;
  private static final long HOUR_SECONDS = 3_600;

  private Figures() {}

  static String text(@Nullable Object value) {
    return value == null ? NONE : value.toString();
  }

  /** {@code 34.7 %}. */
  static String percent(@Nullable Number percent) {
    return percent == null ? NONE : String.format(Locale.ROOT, "%.1f %%", percent.doubleValue());
  }

  /** {@code 6.06 GiB}. */
  static String memory(@Nullable Number bytes) {
    return bytes == null ? NONE : MemorySize.ofBytes(bytes.longValue()).toString();
  }

  /** {@code 45 s}, {@code 9 m 18 s}, {@code 3 h 5 m}. */
  static String duration(@Nullable Long seconds) {
    if (seconds == null) {
      return NONE;
    }
    Duration time = Duration.ofSeconds(seconds);
    if (seconds < MINUTE_SECONDS) {
      return seconds + " s";
    }
    return seconds < HOUR_SECONDS
        ? time.toMinutes() + " m " + time.toSecondsPart() + " s"
        : time.toHours() + " h " + time.toMinutesPart() + " m";
  }

  /** {@code a, b}. */
  static String list(List<String> names) {
    return names.isEmpty() ? NONE : String.join(", ", names);
  }
}
