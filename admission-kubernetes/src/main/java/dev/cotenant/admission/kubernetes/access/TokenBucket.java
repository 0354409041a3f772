package dev.cotenant.admission.kubernetes.access;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A rate limit [token bucket]: a burst, then a steady rate. Not safe for use by many threads. */
final class TokenBucket {
  private final Rate rate;
  private double level;
  private @Nullable Instant filled;

  /** Tokens per second, and the burst before them. */
  record Rate(double perSecond, int burst) {}

  /** A full bucket. */
  TokenBucket(Rate rate) {
    this.rate = rate;
    level = rate.burst;
  }

  /** Takes one; zero where there was one, else the time until there is. */
  Duration take(Instant now) {
    fill(now);
    if (level < 1) {
      return Duration.ofMillis((long) Math.ceil((1 - level) / rate.perSecond * 1_000));
    }
    level--;
    return Duration.ZERO;
  }

  private void fill(Instant now) {
    if (filled != null && now.isAfter(filled)) {
      double seconds = Duration.between(filled, now).toMillis() / 1_000.0;
      level = Math.min(rate.burst, level + seconds * rate.perSecond);
    }
    filled = now;
  }
}
