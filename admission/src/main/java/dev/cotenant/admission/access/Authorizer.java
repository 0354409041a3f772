package dev.cotenant.admission.access;

/**
 * Port: authorizes users of the cluster.
 *
 * <p>May call a server, so an answer may take seconds and no event loop calls it. Safe for use by
 * many threads.
 */
public interface Authorizer {
  /** Allows nothing: where there is no cluster, there are no users of it. */
  Authorizer NONE = (_, _) -> new Result.Denied();

  /** Whether a user has a permission. */
  Result decide(User user, Permission permission);

  /** The outcome. */
  sealed interface Result {
    /** The user has it. */
    record Allowed() implements Result {}

    /** The user lacks the right. */
    record Denied() implements Result {}

    /**
     * Unknown, which allows nothing; a later call may succeed.
     *
     * @param why for the log
     */
    record Unavailable(String why) implements Result {}
  }
}
