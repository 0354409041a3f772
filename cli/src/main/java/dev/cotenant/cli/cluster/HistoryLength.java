package dev.cotenant.cli.cluster;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as Prometheus writes them: {@code 90m}, {@code 12h}, {@code 7d}, {@code 2w}. */
public final class HistoryLength {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,6})([smhdw])");

  private HistoryLength() {}

  /**
   * A duration.
   *
   * @param option that has the text
   * @throws IllegalArgumentException where the text is none
   */
  public static Duration parse(String text, String option) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          option + " must be a number and s, m, h, d or w, such as 7d, is '" + text + "'");
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      case "d" -> Duration.ofDays(number);
      default -> Duration.ofDays(7 * number);
    };
  }
}
