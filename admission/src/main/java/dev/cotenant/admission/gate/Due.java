package dev.cotenant.admission.gate;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The time of the next action: the earliest of those that were added. */
final class Due {
  private static final Duration AT_MOST = Duration.ofMinutes(1);

  private final Instant now;
  private Instant next;

  Due(Instant now) {
    this.now = now;
    this.next = now.plus(AT_MOST);
  }

  /** Adds a time; null adds nothing. */
  void at(@Nullable Instant when) {
    if (when != null && when.isBefore(next)) {
      next = when;
    }
  }

  /** Time until the next action, never negative. */
  Duration in() {
    Duration left = Duration.between(now, next);
    return left.isNegative() ? Duration.ZERO : left;
  }
}
