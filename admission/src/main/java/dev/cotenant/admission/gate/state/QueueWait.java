package dev.cotenant.admission.gate.state;

import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.state.LeaderState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The wait of a gated pod: its begin, and how often later pods were granted capacity before it. */
public final class QueueWait {
  private final Instant createdAt;
  private boolean gatedByOthers;

  /** The time from which only our gate is present; null for its creation. */
  private @Nullable Instant since;

  private int skips;

  QueueWait(Instant createdAt) {
    this.createdAt = createdAt;
  }

  /** Other gates are present: the wait has not begun. */
  public void markGatedByOthers() {
    gatedByOthers = true;
  }

  /** Only our gate is present: the wait begins, where others were present before. */
  public void markGatedByUsAlone(Instant now) {
    if (gatedByOthers) {
      gatedByOthers = false;
      since = now;
    }
  }

  /** A later pod is granted capacity that it could use. */
  public void skip() {
    skips++;
  }

  public int skips() {
    return skips;
  }

  /** The position for the next leader; empty for the initial one. */
  public Optional<LeaderState.QueuePosition> position() {
    return skips == 0 && since == null
        ? Optional.empty()
        : Optional.of(new LeaderState.QueuePosition(skips, since));
  }

  /** Restores the position of an earlier leader. */
  public void resume(LeaderState.QueuePosition position) {
    skips = position.skips();
    since = position.waitingSince();
  }

  /** The begin of the wait. */
  public Instant since() {
    return since == null ? createdAt : since;
  }

  /** Time of the wait, never negative. */
  public Duration waited(Instant now) {
    Duration waited = Duration.between(since(), now);
    return waited.isNegative() ? Duration.ZERO : waited;
  }

  /** Whether the maximum wait has passed, with fallback unmanaged. */
  public boolean isOver(Policy policy, Instant now) {
    return policy.queue().fallback() == Policy.Fallback.UNMANAGED
        && waited(now).compareTo(policy.queue().maxWait()) >= 0;
  }

  /** The end of the maximum wait; null where there is none, or it has passed. */
  public @Nullable Instant ends(Policy policy, Instant now) {
    Instant end = since().plus(policy.queue().maxWait());
    return policy.queue().fallback() == Policy.Fallback.HOLD || !end.isAfter(now) ? null : end;
  }
}
