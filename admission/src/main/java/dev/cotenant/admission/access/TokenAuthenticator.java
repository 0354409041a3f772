package dev.cotenant.admission.access;

import java.time.Duration;

/**
 * Port: says whose bearer token this is.
 *
 * <p>May ask a server, so it may take seconds and is not called on an event loop. Safe for use by
 * many threads. Whatever it answers, it never throws because of the token.
 */
public interface TokenAuthenticator {
  /** Knows nobody: where no server is there to ask. */
  TokenAuthenticator NOBODY = _ -> new Result.Rejected("no tokens are accepted here");

  /** Whose token this is. */
  Result authenticate(Presented presented);

  /**
   * A token that a caller presents.
   *
   * @param token bare, without {@code Bearer}
   * @param peer the caller's address, by which limits are kept apart
   */
  record Presented(String token, String peer) {
    /** Without the token. */
    @Override
    public String toString() {
      return "a token of " + peer;
    }
  }

  /** What became of a token. */
  sealed interface Result {
    /** It is somebody's, and meant for us. */
    record Authenticated(User user) implements Result {}

    /**
     * It is nobody's: empty, expired, made up, or meant for somebody else.
     *
     * @param why for the log, never with the token in it
     */
    record Rejected(String why) implements Result {}

    /**
     * Nobody could be asked; the caller gets nothing, and may try again.
     *
     * @param why for the log, never with the token in it
     */
    record Unavailable(String why) implements Result {}

    /**
     * Too many unknown tokens lately; the API server was not asked about this one.
     *
     * @param retryAfter when it may be
     */
    record Limited(Duration retryAfter) implements Result {}
  }
}
