package dev.cotenant.admission.supervision;

import java.time.Duration;

/**
 * A loop as the watchdog sees it.
 *
 * @param name of the loop
 * @param condition whether it works
 * @param silence since its last heartbeat, or since its announced pause ended; a resolution of one
 *     second
 */
public record LoopState(String name, Condition condition, Duration silence) {
  /** Whether a loop works. */
  public enum Condition {
    /** It beats. */
    ALIVE,
    /** Its thread has ended and is not restarted yet. */
    DEAD,
    /** Its thread is there and silent for too long. */
    STUCK
  }

  /** Whether the loop works. */
  public boolean isAlive() {
    return condition == Condition.ALIVE;
  }
}
