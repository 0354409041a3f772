package dev.cotenant.admission.capacity;

import java.io.Serial;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** This process does not keep the ledger, so that it cannot answer: another one may. */
public final class NotLeadingException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final @Nullable String leader;

  /** Led by this one, as far as it is known. */
  public NotLeadingException(@Nullable String leader) {
    super(
        leader == null
            ? "No replica leads yet, and only the leader knows what was granted: try again."
            : "This replica does not lead, and only the leader knows what was granted: ask '"
                + leader
                + "'.");
    this.leader = leader;
  }

  /** Who leads, where that is known. */
  public Optional<String> leader() {
    return Optional.ofNullable(leader);
  }
}
