package dev.cotenant.admission.reservation;

import java.io.Serial;

/** Reservations cannot be kept at the moment; one line says why. */
public final class StoreFailedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public StoreFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
