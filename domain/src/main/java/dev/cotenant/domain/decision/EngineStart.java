package dev.cotenant.domain.decision;

import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A server of a language model that starts on a GPU.
 *
 * @param holder its pod
 * @param isRunning whether its containers run
 * @param waited since its start, or since its grant where it does not run
 * @param spread difference of the samples of used memory of the window; null where no samples are
 *     looked at
 * @param window in which samples must agree
 * @param limit longest wait
 */
public record EngineStart(
    String holder,
    boolean isRunning,
    Duration waited,
    @Nullable MemorySize spread,
    Duration window,
    Duration limit) {
  /** Copy with a different pod name. */
  public EngineStart named(String other) {
    return new EngineStart(other, isRunning, waited, spread, window, limit);
  }

  String sentence() {
    return "server "
        + holder
        + (isRunning ? " started " : " has not started, granted ")
        + waited.toSeconds()
        + " s ago, and its memory has not settled"
        + samples()
        + "; waits for at most "
        + limit.toSeconds()
        + " s";
  }

  private String samples() {
    return spread == null
        ? ""
        : " (samples of the last " + window.toSeconds() + " s differ by " + spread + ")";
  }
}
