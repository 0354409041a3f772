package dev.cotenant.admission.supervision;

import java.time.Duration;

/** Why a loop that gave no sign of life was ended; the stack trace is that of its thread. */
final class StuckException extends Exception {
  private static final long serialVersionUID = 1;

  StuckException(Duration silence, StackTraceElement[] where) {
    super("no heartbeat for " + silence.toSeconds() + " s");
    setStackTrace(where);
  }
}
