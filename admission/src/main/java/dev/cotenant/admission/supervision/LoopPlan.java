package dev.cotenant.admission.supervision;

import java.time.Duration;

/**
 * How a loop is watched.
 *
 * @param name of its thread, its metrics and its health data
 * @param longestSilence between two heartbeats; a loop that is silent for longer is stuck
 * @param whenDown what happens to a loop that is dead or stuck
 */
public record LoopPlan(String name, Duration longestSilence, WhenDown whenDown) {
  public LoopPlan {
    if (name.isBlank() || !longestSilence.isPositive()) {
      throw new IllegalArgumentException(
          "loop '" + name + "' cannot be silent for " + longestSilence + " at most");
    }
  }

  /** What happens to a loop that is dead or stuck. */
  public enum WhenDown {
    /**
     * A new thread runs the step again: for loops that read their state anew from outside. The
     * thread before has ended by then.
     */
    RESTART,
    /** The process ends: for loops whose state a failure may leave half changed. */
    END_PROCESS
  }

  /** A loop that is restarted. */
  public static LoopPlan restarted(String name, Duration longestSilence) {
    return new LoopPlan(name, longestSilence, WhenDown.RESTART);
  }

  /** A loop without which the process ends. */
  public static LoopPlan vital(String name, Duration longestSilence) {
    return new LoopPlan(name, longestSilence, WhenDown.END_PROCESS);
  }
}
