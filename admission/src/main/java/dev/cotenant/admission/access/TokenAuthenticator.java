package dev.cotenant.admission.access;

import java.time.Duration;

/**
 * Port: authenticates bearer tokens.
 *
 * <p>May call a server, so it takes seconds and is not for event loops. Safe for use by many
 * threads. Never throws because of a token.
 */
public interface TokenAuthenticator {
  /** Rejects all tokens: there is no API server. */
  TokenAuthenticator NONE = _ -> new Result.Rejected("no tokens are accepted here");

  /** The user of a token. */
  Result authenticate(Presented presented);

  /**
   * A token that a caller presents.
   *
   * @param token bare, without {@code Bearer}
   * @param peer the caller's address, the key of its limits
   */
  record Presented(String token, String peer) {
    /** Without the token. */
    @Override
    public String toString() {
      return "a token of " + peer;
    }
  }

  /** The result of a token. */
  sealed interface Result {
    /** The token is valid, and for our audience. */
    record Authenticated(User user) implements Result {}

    /**
     * The token is empty, expired, invalid or for another audience.
     *
     * @param why log message, without the token
     */
    record Rejected(String why) implements Result {}

    /**
     * Unknown; the call is refused, and a later one may succeed.
     *
     * @param why log message, without the token
     */
    record Unavailable(String why) implements Result {}

    /**
     * Too many unknown tokens; the API server was not called.
     *
     * @param retryAfter time until the next review
     */
    record Limited(Duration retryAfter) implements Result {}
  }
}
