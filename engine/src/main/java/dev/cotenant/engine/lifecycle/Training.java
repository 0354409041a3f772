package dev.cotenant.engine.lifecycle;

import dev.cotenant.predictor.correct.CorrectedTarget;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One training, from its request to its end.
 *
 * @param id names it
 * @param state how far it is
 * @param progress what was done last
 * @param queuedAt when it was requested
 * @param updatedAt when its state or progress changed last, the sign of life of its replica
 * @param replica which process runs or ran it; null while it waits
 * @param version SHA-256 of what came out; null unless finished with a version
 * @param message why it failed, or what came out; empty until then
 */
public record Training(
    String id,
    State state,
    Progress progress,
    Instant queuedAt,
    Instant updatedAt,
    @Nullable String replica,
    @Nullable String version,
    String message) {

  /** The state machine: queued → running → finished, failed or cancelled; queued → cancelled. */
  public enum State {
    QUEUED,
    RUNNING,
    FINISHED,
    FAILED,
    CANCELLED;
  }

  /** Completed parts, total, and the last completed part. */
  public record Progress(String step, int done, int total) {
    public static final Progress NONE = new Progress("", 0, 0);
  }

  /**
   * How one ended.
   *
   * @param quarantined rows that it left out as outliers, by target
   */
  public record Outcome(
      State state,
      @Nullable String version,
      String message,
      Map<CorrectedTarget, Integer> quarantined) {
    public Outcome {
      quarantined = Map.copyOf(quarantined);
    }

    public static Outcome finished(
        String version, String message, Map<CorrectedTarget, Integer> quarantined) {
      return new Outcome(State.FINISHED, version, message, quarantined);
    }

    public static Outcome failed(String message) {
      return new Outcome(State.FAILED, null, message, Map.of());
    }

    public static Outcome cancelled() {
      return new Outcome(State.CANCELLED, null, "Cancelled on request.", Map.of());
    }
  }

  public static Training queued(String id, Instant at) {
    return new Training(id, State.QUEUED, Progress.NONE, at, at, null, null, "");
  }
}
