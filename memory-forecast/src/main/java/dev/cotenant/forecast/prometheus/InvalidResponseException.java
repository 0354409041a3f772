package dev.cotenant.forecast.prometheus;

import dev.cotenant.forecast.prometheus.MetricsReading.Cause;

/** Carries the reason from where an answer is read to where a reading is made of it. */
final class InvalidResponseException extends Exception {
  private static final long serialVersionUID = 1L;
  private final Cause reason;
  private final String text;

  InvalidResponseException(Cause reason, String text) {
    super(text);
    this.reason = reason;
    this.text = text;
  }

  InvalidResponseException(Cause reason, String text, Exception why) {
    super(text, why);
    this.reason = reason;
    this.text = text;
  }

  /** Whether there is an answer, which concerns this query alone. */
  boolean isAnswered() {
    return switch (reason) {
      case REFUSED, MALFORMED, TOO_LARGE -> true;
      case UNREACHABLE, UNTRUSTED, NO_TOKEN, TIMED_OUT -> false;
    };
  }

  /** Whether there is none in time, which may concern this query alone. */
  boolean isTimedOut() {
    return reason == Cause.TIMED_OUT;
  }

  MetricsReading.Failed failed() {
    return new MetricsReading.Failed(reason, text);
  }
}
