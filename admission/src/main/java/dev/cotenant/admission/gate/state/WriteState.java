package dev.cotenant.admission.gate.state;

import dev.cotenant.admission.gate.state.PendingWrite.Purpose;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The writes about a pod: at most one is pending, and earlier ones may yet arrive. */
public final class WriteState {
  private @Nullable PendingWrite pending;
  private @Nullable Purpose unreported;
  private InFlight inFlight;
  private int failures;
  private Instant notBefore = Instant.MIN;
  private @Nullable String refusal;

  /** Writes of unknown outcome. */
  public enum InFlight {
    NONE,
    /** Of an earlier term: nothing is granted until it is settled. */
    EARLIER_TERM,
    /** A grant of this term: its capacity stays allocated. */
    OWN_GRANT
  }

  WriteState(InFlight inFlight) {
    this.inFlight = inFlight;
  }

  /** The pending write, in flight or waiting for a retry; null without one. */
  public @Nullable PendingWrite pending() {
    return pending;
  }

  /** Whether an earlier write can still change the pod. */
  public InFlight inFlight() {
    return inFlight;
  }

  /** Whether no write can change the pod but a new one. */
  public boolean areSettled() {
    return pending == null && inFlight == InFlight.NONE;
  }

  /** Whether an ungate or a binding with a grant was sent and its outcome is unknown. */
  boolean mayGrant() {
    boolean sent =
        pending != null
            && (pending.purpose() instanceof PendingWrite.UngateGranted
                || pending.purpose() instanceof PendingWrite.BindPod);
    return sent || inFlight == InFlight.OWN_GRANT;
  }

  /**
   * A write is sent.
   *
   * @throws IllegalStateException while an earlier write has no answer yet
   */
  public void send(PendingWrite write) {
    if (pending != null && pending.retryAt() == null) {
      throw new IllegalStateException("a write is in flight: " + pending.purpose());
    }
    pending = write;
    if (write.purpose().isReported()) {
      unreported = write.purpose();
    }
  }

  /**
   * The purpose of the last sent write that is reported once it is known as done; null where that
   * was reported, or none was sent.
   */
  public @Nullable Purpose takeUnreported() {
    @Nullable Purpose purpose = unreported;
    unreported = null;
    return purpose;
  }

  /** The write of this id, which is answered now; null where a newer state has settled it. */
  public @Nullable PendingWrite answered(long id) {
    @Nullable PendingWrite write = pending;
    if (write == null || write.id() != id) {
      return null;
    }
    pending = null;
    return write;
  }

  /** The outcome of the answered write is unknown: it is sent again at its time of retry. */
  public void retry(PendingWrite write) {
    if (pending != null || write.retryAt() == null) {
      throw new IllegalStateException("only an answered write can be retried, at a time");
    }
    pending = write;
  }

  /**
   * Clears the pending write after a state that shows its outcome; returns that write, null without
   * one.
   */
  public @Nullable PendingWrite settle() {
    @Nullable PendingWrite write = pending;
    pending = null;
    inFlight = InFlight.NONE;
    return write;
  }

  /** No earlier write can change the pod any more. */
  public void fenced() {
    inFlight = InFlight.NONE;
  }

  /** A copy of a granting write may still take effect. */
  public void mayStillGrant() {
    inFlight = InFlight.OWN_GRANT;
  }

  /** A write has succeeded. */
  public void succeed() {
    failures = 0;
    refusal = null;
  }

  /** A write was refused; the number of refusals in a row. */
  public int fail() {
    return ++failures;
  }

  /** Suspends writes until this time. */
  public void pauseUntil(Instant when) {
    notBefore = when;
  }

  /** Earliest time of the next write. */
  public Instant notBefore() {
    return notBefore;
  }

  /** The API server's refusal of the last grant; null without one. */
  public @Nullable String refusal() {
    return refusal;
  }

  /** A grant was refused; whether the reason is new. */
  public boolean refuse(String why) {
    boolean isNew = !why.equals(refusal);
    refusal = why;
    return isNew;
  }
}
