package dev.cotenant.admission.capacity;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** This process does not own the ledger; the leader does. */
public final class NotLeadingException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  public NotLeadingException(@Nullable String leader) {
    super(
        leader == null
            ? "No replica leads yet, and only the leader has the grants: retry."
            : "This replica does not lead, and only the leader has the grants: send the request to"
                + " '"
                + leader
                + "'.");
  }
}
