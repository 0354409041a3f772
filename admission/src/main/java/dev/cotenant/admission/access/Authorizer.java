package dev.cotenant.admission.access;

/**
 * Port: decides what users of the cluster may do.
 *
 * <p>May call a server, so an answer may take seconds and no event loop calls it. Safe for use by
 * many threads.
 */
public interface Authorizer {
  /** Allows nothing: where there is no cluster, there are no users of it. */
  Authorizer NONE = (_, _) -> new Verdict.Denied();

  /** Whether a user has a permission. */
  Verdict decide(User user, Permission permission);

  /** The outcome. */
  sealed interface Verdict {
    /** The user has it. */
    record Allowed() implements Verdict {}

    /** The user does not have it. */
    record Denied() implements Verdict {}

    /**
     * Unknown, which allows nothing; a later call may succeed.
     *
     * @param why for the log
     */
    record Unavailable(String why) implements Verdict {}
  }
}
