package dev.cotenant.admission.state;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Port: small documents that are only changed by whoever has seen their last version, such as
 * ConfigMaps. Waits for its answers, for a bounded time. Safe for use by many threads.
 */
public interface Documents {
  /** Looks. */
  Look read(String name);

  /**
   * Writes the whole of a document.
   *
   * @param version that it must have; null where there must be none yet
   */
  Outcome write(String name, @Nullable String version, Content content);

  /**
   * What is in a document.
   *
   * @param term of the leader who wrote it last; 0 where none says so
   * @param entries by keys of letters, digits, {@code -}, {@code _} and {@code .}
   */
  record Content(long term, Map<String, String> entries) {
    public Content {
      entries = Map.copyOf(entries);
    }
  }

  /** What there is. */
  sealed interface Look {
    /** A document, with its opaque version. */
    record Found(String version, Content content) implements Look {}

    /** Nothing of this name. */
    record Missing() implements Look {}

    /** Nobody knows. */
    record Failed(String why) implements Look {}
  }

  /** What became of a write. */
  sealed interface Outcome {
    /** It is done, and this is the version now. */
    record Done(String version) implements Outcome {}

    /** The document has another version, or is there or not against what was said. */
    record Conflict() implements Outcome {}

    /** Nobody knows whether it was done, or will be. */
    record Unknown(String why) implements Outcome {}

    /** It was not done. */
    record Refused(String why) implements Outcome {}
  }
}
