package dev.cotenant.admission.reservation;

import java.io.Serial;

/** Reservations cannot be persisted now; the message has the cause. */
public final class StoreFailedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final Certainty certainty;

  /** The outcome of the failed change. */
  public enum Certainty {
    /** The write did not succeed and will not. */
    NOT_DONE,
    /** It may be done, now or later. */
    UNKNOWN
  }

  public StoreFailedException(String message, Certainty certainty) {
    super(message);
    this.certainty = certainty;
  }

  public Certainty certainty() {
    return certainty;
  }
}
