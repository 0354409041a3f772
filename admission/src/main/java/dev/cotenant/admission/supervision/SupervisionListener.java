package dev.cotenant.admission.supervision;

import java.time.Duration;

/**
 * Port: receives the events of loops, for logs and metrics. Implementations are quick and never
 * throw.
 */
public interface SupervisionListener {
  /** Ignores all. */
  SupervisionListener NONE = new SupervisionListener() {};

  /** A loop of this name was started for the first time. */
  default void started(String loop) {}

  /** A loop is dead and runs again from now on. */
  default void restarted(String loop, Throwable cause) {}

  /** A loop has been silent for longer than its plan allows and is interrupted. */
  default void stuck(String loop, Duration silence) {}

  /** The process ends because of a loop; not called where memory may be exhausted. */
  default void ending(String loop, Throwable cause) {}
}
