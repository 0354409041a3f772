package dev.cotenant.admission.state;

import java.io.Serial;

/** The leader state could not be claimed; the message has the cause. */
public final class NotClaimedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public NotClaimedException(String message) {
    super(message);
  }
}
