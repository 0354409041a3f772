package dev.cotenant.admission.state;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Port: small documents with optimistic locking, such as ConfigMaps. Calls block for a bounded
 * time. Safe for use by many threads.
 */
public interface Documents {
  ReadResult read(String name);

  /**
   * Replaces a document.
   *
   * @param version its expected version; null where it must not exist
   */
  WriteOutcome write(String name, @Nullable String version, Content content);

  /**
   * The content of a document.
   *
   * @param term of the writing leader; 0 without one
   * @param entries by keys of letters, digits, {@code -}, {@code _} and {@code .}
   */
  record Content(long term, Map<String, String> entries) {
    public Content {
      entries = Map.copyOf(entries);
    }
  }

  /** The result of a read. */
  sealed interface ReadResult {
    /** A document with its opaque version. */
    record Found(String version, Content content) implements ReadResult {}

    /** No document of this name. */
    record Missing() implements ReadResult {}

    /** The outcome is unknown. */
    record Failed(String why) implements ReadResult {}
  }

  /** The result of a write. */
  sealed interface WriteOutcome {
    /** Written, with the new version. */
    record Done(String version) implements WriteOutcome {}

    /** The document has another version, exists, or is missing. */
    record Conflict() implements WriteOutcome {}

    /** The outcome is unknown. */
    record Unknown(String why) implements WriteOutcome {}

    /** Not written. */
    record Refused(String why) implements WriteOutcome {}
  }
}
