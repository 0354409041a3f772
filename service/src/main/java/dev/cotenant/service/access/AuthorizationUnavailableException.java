package dev.cotenant.service.access;

import java.io.Serial;

/** Authorization is unavailable, so the call is refused. */
public final class AuthorizationUnavailableException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  AuthorizationUnavailableException(String why) {
    super(why);
  }
}
