package dev.cotenant.admission.state;

import java.io.Serial;

/** What earlier leaders left could not be taken over; one line says why. */
public final class NotClaimedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public NotClaimedException(String message) {
    super(message);
  }
}
