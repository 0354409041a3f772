package dev.cotenant.admission.gate.state;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The earliest of the added times. */
public final class Due {
  private static final Duration AT_MOST = Duration.ofMinutes(1);

  private final Instant now;
  private Instant next;

  public Due(Instant now) {
    this.now = now;
    this.next = now.plus(AT_MOST);
  }

  /** Adds a time; null adds nothing. */
  public void at(@Nullable Instant when) {
    if (when != null && when.isBefore(next)) {
      next = when;
    }
  }

  /** Time until the next action, never negative. */
  public Duration in() {
    Duration left = Duration.between(now, next);
    return left.isNegative() ? Duration.ZERO : left;
  }
}
