package dev.cotenant.admission.state;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Documents in memory, with a version for every write. Writes may be lost, their answers may be, or
 * they may be done later than anybody waits for.
 */
public final class FakeDocuments {
  private final Map<String, Documents.ReadResult.Found> all = new HashMap<>();
  private final List<Runnable> late = new ArrayList<>();
  private long version;

  /** What becomes of a write. */
  public enum Fate {
    DONE,
    /** It is done, and nobody is told. */
    ANSWER_LOST,
    /** It is not done, and nobody is told. */
    LOST,
    /** It is done when {@link #arrive} is asked, and nobody is told. */
    LATE,
    REFUSED;

    /** The one of this number; done where there is none. */
    public static Fate of(int number) {
      List<Fate> all = List.of(values());
      return number < all.size() ? all.get(number) : DONE;
    }
  }

  /** As one process sees them; each write meets the next fate. */
  public Documents seenWith(Supplier<Fate> fates) {
    return new Documents() {
      @Override
      public ReadResult read(String name) {
        ReadResult.Found found = all.get(name);
        return found == null ? new ReadResult.Missing() : found;
      }

      @Override
      public WriteOutcome write(String name, @Nullable String seen, Content content) {
        return switch (fates.get()) {
          case DONE -> put(name, seen, content);
          case ANSWER_LOST -> {
            put(name, seen, content);
            yield new WriteOutcome.Unknown("its answer was lost");
          }
          case LOST -> new WriteOutcome.Unknown("lost");
          case LATE -> {
            late.add(() -> put(name, seen, content));
            yield new WriteOutcome.Unknown("timed out");
          }
          case REFUSED -> new WriteOutcome.Refused("forbidden");
        };
      }
    };
  }

  private Documents.WriteOutcome put(
      String name, @Nullable String seen, Documents.Content content) {
    Documents.ReadResult.Found found = all.get(name);
    if (!Objects.equals(found == null ? null : found.version(), seen)) {
      return new Documents.WriteOutcome.Conflict();
    }
    String next = "v" + ++version;
    all.put(name, new Documents.ReadResult.Found(next, content));
    return new Documents.WriteOutcome.Done(next);
  }

  /** All writes that are late arrive. */
  public void arrive() {
    List<Runnable> arriving = List.copyOf(late);
    late.clear();
    arriving.forEach(Runnable::run);
  }

  /** What a document has; empty where there is none. */
  public Map<String, String> entries(String name) {
    Documents.ReadResult.Found found = all.get(name);
    return found == null ? Map.of() : found.content().entries();
  }

  /** Somebody else writes something. */
  public void overwrite(String name, long term, Map<String, String> entries) {
    all.put(
        name,
        new Documents.ReadResult.Found("v" + ++version, new Documents.Content(term, entries)));
  }

  /** Somebody deletes one. */
  public void delete(String name) {
    all.remove(name);
  }
}
