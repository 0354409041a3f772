package dev.cotenant.service.access;

import java.io.Serial;

/** Nobody can say whose token it is. */
public final class TokensUnavailableException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  TokensUnavailableException(String why) {
    super(why);
  }
}
