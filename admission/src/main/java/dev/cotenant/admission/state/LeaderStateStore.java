package dev.cotenant.admission.state;

import dev.cotenant.admission.state.Documents.Content;
import dev.cotenant.admission.state.Documents.Look;
import dev.cotenant.admission.state.Documents.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Entries on a few documents that only the leader of the last term changes. Safe for use by many
 * threads; callers about the same document wait for each other.
 *
 * <p>A new term takes every document over before it trusts what is in it: it writes its number onto
 * the version that it has read. From then on whatever an earlier leader sends, or has on its way,
 * tests a version that is past, and the earlier leader finds the greater number when it looks why.
 * So what an earlier leader was told to be kept is read here, and nothing is kept for it
 * afterwards.
 *
 * <p>A write whose answer did not come may be done yet. It is written again, on the version that is
 * there by then, until it is certain or has been tried often enough; then nobody knows, until the
 * next write to the same document: that one writes all that is known to be kept, and with it the
 * version that the lost one tests is past.
 */
public final class LeaderStateStore {
  /** The most that is put into one document; the API server takes 1 MiB. */
  public static final int MAX_BYTES = 900_000;

  private static final int ATTEMPTS = 4;

  private final Documents documents;
  private final List<Shard> parts;

  /** The greatest term that was claimed. */
  private volatile long claimed;

  /** Terms up to this one are over. */
  private volatile long over;

  /** What became of a change. */
  public sealed interface Result {
    /** The next leader will find it. */
    record Persisted() implements Result {}

    /** It will not. */
    record Rejected(String why) implements Result {}

    /** It may. */
    record Uncertain(String why) implements Result {}
  }

  /** One document, as the current term knows it. */
  private static final class Shard {
    private final String name;
    private Map<String, String> entries = Map.of();
    private @Nullable String version;

    /** The term that has it; 0 where this process does not. */
    private long term;

    private long lastTerm;

    /** Whether the last write may be done yet, beyond what is known. */
    private boolean unsure;

    private Shard(String name) {
      this.name = name;
    }
  }

  /**
   * @param documents where
   * @param name of all documents, which are numbered
   * @param count how many, at least 1
   */
  public LeaderStateStore(Documents documents, String name, int count) {
    this.documents = documents;
    this.parts = IntStream.range(0, count).mapToObj(i -> new Shard(name + "-" + i)).toList();
  }

  /**
   * Takes all documents over for a term.
   *
   * @return all that is kept
   * @throws NotClaimedException when that did not work; it may be tried again
   */
  public Map<String, String> claim(long term) {
    claimed = Math.max(claimed, term);
    Map<String, String> all = new TreeMap<>();
    for (Shard part : parts) {
      synchronized (part) {
        claim(part, term);
        all.putAll(part.entries);
      }
    }
    return all;
  }

  private void claim(Shard part, long term) {
    if (term < part.lastTerm) {
      throw new NotClaimedException("this process has led a later term than " + term);
    }
    part.lastTerm = term;
    part.term = 0;
    String why = "";
    for (int i = 0; i < ATTEMPTS; i++) {
      Look look = documents.read(part.name);
      if (look instanceof Look.Failed(String failure)) {
        throw new NotClaimedException(part.name + ": " + failure);
      }
      Content content = content(look);
      if (content.term() > term) {
        throw new NotClaimedException(part.name + " is of the later term " + content.term());
      }
      Content claimed = new Content(term, content.entries());
      switch (documents.write(part.name, version(look), claimed)) {
        case Outcome.Done(String version) -> {
          done(part, version, claimed);
          part.term = term;
          return;
        }
        case Outcome.Conflict _ -> why = "changes all the time";
        case Outcome.Unknown(String unknown) -> why = unknown;
        case Outcome.Refused(String refusal) ->
            throw new NotClaimedException(part.name + ": " + refusal);
      }
    }
    throw new NotClaimedException(part.name + ": " + why);
  }

  private static void done(Shard part, String version, Content content) {
    part.version = version;
    part.entries = content.entries();
    part.unsure = false;
  }

  private static Content content(Look look) {
    return look instanceof Look.Found(String _, Content content)
        ? content
        : new Content(0, Map.of());
  }

  private static @Nullable String version(Look look) {
    return look instanceof Look.Found(String version, Content _) ? version : null;
  }

  /**
   * The term is over: nothing is kept any more but what is just being written. Waits for nobody, as
   * whoever loses the Lease must not.
   */
  public void close() {
    over = claimed;
  }

  /** Keeps an entry, in place of the one with its key. */
  public Result put(long term, String key, String value) {
    return put(partOf(key), term, Map.of(key, value));
  }

  /** Keeps entries, all on the first document. */
  public Result putAll(long term, Map<String, String> entries) {
    return put(parts.getFirst(), term, entries);
  }

  private Result put(Shard part, long term, Map<String, String> wanted) {
    synchronized (part) {
      Map<String, String> entries = new HashMap<>(part.entries);
      entries.putAll(wanted);
      int bytes = bytes(entries);
      return bytes > MAX_BYTES
          ? new Result.Rejected(part.name + " is full: " + bytes + " bytes, at most " + MAX_BYTES)
          : write(part, term, entries);
    }
  }

  /**
   * Forgets entries; nothing happens to those that are not kept. What may still be done against
   * what is known, is ruled out as well.
   */
  public Result remove(long term, List<String> keys) {
    Result worst = new Result.Persisted();
    for (Shard part : parts) {
      synchronized (part) {
        Map<String, String> entries = new HashMap<>(part.entries);
        boolean changes = entries.keySet().removeAll(keys) || part.unsure;
        if (changes && !(write(part, term, entries) instanceof Result.Persisted)) {
          worst = new Result.Uncertain(part.name + " could not be written");
        }
      }
    }
    return worst;
  }

  /**
   * Looks whether a term still has the document of a key, so that a key which it does not know is
   * not kept by anybody. Where that cannot be seen, nobody knows. Keeps nobody waiting who writes.
   */
  public Result verifyTerm(long term, String key) {
    Shard part = partOf(key);
    Result ended = new Result.Rejected("term " + term + " is over");
    if (!has(part, term)) {
      return ended;
    }
    return switch (documents.read(part.name)) {
      case Look.Found(String _, Content found) when found.term() > term -> {
        lose(part, term);
        yield ended;
      }
      case Look.Failed(String why) -> new Result.Uncertain(part.name + ": " + why);
      default -> has(part, term) ? new Result.Persisted() : ended;
    };
  }

  private boolean has(Shard part, long term) {
    synchronized (part) {
      return part.term == term && term > over;
    }
  }

  private static void lose(Shard part, long term) {
    synchronized (part) {
      if (part.term == term) {
        part.term = 0;
      }
    }
  }

  private Shard partOf(String key) {
    return parts.get(Math.floorMod(key.hashCode(), parts.size()));
  }

  private static int bytes(Map<String, String> entries) {
    return entries.entrySet().stream()
        .mapToInt(entry -> utf8(entry.getKey()) + utf8(entry.getValue()))
        .sum();
  }

  private static int utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private Result write(Shard part, long term, Map<String, String> entries) {
    Content wanted = new Content(term, entries);
    String unsure = "";
    for (int i = 0; i < ATTEMPTS; i++) {
      if (part.term != term || term <= over) {
        return result(unsure, "term " + term + " is over");
      }
      switch (documents.write(part.name, part.version, wanted)) {
        case Outcome.Done(String version) -> {
          done(part, version, wanted);
          return new Result.Persisted();
        }
        case Outcome.Refused(String why) -> {
          return result(unsure, part.name + ": " + why);
        }
        case Outcome.Unknown(String why) -> {
          unsure = part.name + ": " + why;
          part.unsure = true;
        }
        case Outcome.Conflict _ -> {}
      }
      if (look(part, term, wanted)) {
        return new Result.Persisted();
      }
    }
    return result(unsure, part.name + " changes all the time");
  }

  private static Result result(String unsure, String why) {
    return unsure.isEmpty() ? new Result.Rejected(why) : new Result.Uncertain(unsure);
  }

  /** Learns the version after a write that was not simply done; whether it was done after all. */
  private boolean look(Shard part, long term, Content wanted) {
    switch (documents.read(part.name)) {
      case Look.Found(String _, Content found) when found.term() > term -> part.term = 0;
      case Look.Found(String version, Content found) -> {
        part.version = version;
        if (found.equals(wanted)) {
          done(part, version, wanted);
          return true;
        }
      }
      case Look.Missing _ -> part.version = null; // somebody deleted it: made anew
      case Look.Failed _ -> {}
    }
    return false;
  }
}
