package dev.cotenant.admission.supervision;

import java.time.Duration;

/** A loop's sign of life, given on the loop's own thread. Costs two writes to memory. */
public interface Heartbeat {
  /** The loop is alive now. */
  void beat();

  /**
   * The loop is alive and begins to wait: its silence counts only after this pause.
   *
   * @param pause how long the wait may take
   */
  void beatBefore(Duration pause);

  /** The loop's work is complete after the current step. */
  void finish();

  /** Sleeps, which is no silence. */
  default void rest(Duration pause) throws InterruptedException {
    beatBefore(pause);
    Thread.sleep(pause);
    beat();
  }
}
