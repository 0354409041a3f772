package dev.cotenant.service.access;

import java.io.Serial;

/** Whether a caller may make a call is unknown, so it may not. */
public final class AuthorizationUnavailableException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  AuthorizationUnavailableException(String why) {
    super(why);
  }
}
