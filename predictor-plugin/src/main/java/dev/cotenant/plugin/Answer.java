package dev.cotenant.plugin;

import dev.cotenant.predictor.model.Target;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** What the number that a regressor gives is. */
enum Answer {
  UTILIZATION_PERCENT,
  /** ln(1 + percent), whose squared error is the RMSLE. */
  LOG1P_UTILIZATION_PERCENT,
  PEAK_MEMORY_BYTES,
  /** ln(bytes). */
  LOG_PEAK_MEMORY_BYTES;

  static Optional<Answer> find(String name) {
    return Arrays.stream(values()).filter(answer -> answer.key().equals(name)).findFirst();
  }

  /** All names, for messages. */
  static String keys() {
    return Arrays.stream(values()).map(Answer::key).collect(Collectors.joining(", "));
  }

  String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  Target target() {
    return isUtilization() ? Target.UTILIZATION : Target.PEAK_MEMORY;
  }

  boolean isUtilization() {
    return this == UTILIZATION_PERCENT || this == LOG1P_UTILIZATION_PERCENT;
  }

  /** Percent or bytes from the number, not yet clipped. */
  double valueOf(double number) {
    return switch (this) {
      case UTILIZATION_PERCENT, PEAK_MEMORY_BYTES -> number;
      case LOG1P_UTILIZATION_PERCENT -> Math.expm1(number);
      case LOG_PEAK_MEMORY_BYTES -> Math.exp(number);
    };
  }

  /** Percent or bytes, raised by an offset of their logarithm: log1p of percent, log of bytes. */
  double raised(double value, double offset) {
    return isUtilization() ? Math.expm1(Math.log1p(value) + offset) : value * Math.exp(offset);
  }
}
