package dev.cotenant.admission.gate;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** When the next thing is to be done: the earliest of what is asked for. */
final class Due {
  private static final Duration AT_MOST = Duration.ofMinutes(1);

  private final Instant now;
  private Instant next;

  Due(Instant now) {
    this.now = now;
    this.next = now.plus(AT_MOST);
  }

  /** Something is to be done then; never where it is null. */
  void at(@Nullable Instant when) {
    if (when != null && when.isBefore(next)) {
      next = when;
    }
  }

  /** How long until then, never negative. */
  Duration in() {
    Duration left = Duration.between(now, next);
    return left.isNegative() ? Duration.ZERO : left;
  }
}
