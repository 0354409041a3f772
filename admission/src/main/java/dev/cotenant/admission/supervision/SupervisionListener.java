package dev.cotenant.admission.supervision;

import java.time.Duration;

/** Port: hears what happens to loops, for logs and metrics. Must be quick and must not throw. */
public interface SupervisionListener {
  /** Hears nothing. */
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
