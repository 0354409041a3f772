package dev.cotenant.admission.access;

import java.util.Set;

/**
 * Port: says whose bearer token this is.
 *
 * <p>May ask a server, so it may take seconds and is not called on an event loop. Safe for use by
 * many threads. Whatever it answers, it never throws because of the token.
 */
public interface TokenAuthenticator {
  /** Knows nobody: where no server is there to ask. */
  TokenAuthenticator NOBODY = _ -> new Result.Rejected("no tokens are accepted here");

  /** Whose token this is; the bare token, without {@code Bearer}. */
  Result authenticate(String token);

  /** What became of a token. */
  sealed interface Result {
    /**
     * It is somebody's, and meant for us.
     *
     * @param user the user's name, {@code system:serviceaccount:team-a:default}
     * @param groups the user's groups
     */
    record Authenticated(String user, Set<String> groups) implements Result {
      public Authenticated {
        groups = Set.copyOf(groups);
      }
    }

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
  }
}
