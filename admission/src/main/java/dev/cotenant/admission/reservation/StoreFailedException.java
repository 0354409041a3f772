package dev.cotenant.admission.reservation;

import java.io.Serial;

/** Reservations cannot be kept at the moment; one line says why. */
public final class StoreFailedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final Certainty certainty;

  /** What is known of the change that failed. */
  public enum Certainty {
    /** It was not done, and never will be. */
    NOT_DONE,
    /** It may have been done, or be done yet. */
    UNKNOWN
  }

  public StoreFailedException(String message, Certainty certainty) {
    super(message);
    this.certainty = certainty;
  }

  /** What is known of the change. */
  public Certainty certainty() {
    return certainty;
  }
}
