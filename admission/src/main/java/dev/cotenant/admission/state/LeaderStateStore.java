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
 * Entries in a few documents that only the leader of the latest term changes. Safe for use by many
 * threads; calls about one document are serialized.
 *
 * <p>A new term claims every document before it trusts the content: it writes its number over the
 * version that it read. From then on every write of an earlier leader, sent or in flight, tests an
 * outdated version and fails, and the earlier leader finds the greater term. So every write that an
 * earlier leader saw succeed is read here, and no later one of it succeeds.
 *
 * <p>A write with a lost answer may still be done. It is repeated on the current version until its
 * outcome is certain or the attempts are used up; then the outcome is unknown until the next write
 * to the document, which writes all entries and invalidates the lost one.
 */
public final class LeaderStateStore {
  /** The largest document; the API server accepts 1 MiB. */
  public static final int MAX_BYTES = 900_000;

  private static final int ATTEMPTS = 4;

  private final Documents documents;
  private final List<Shard> parts;

  /** The greatest claimed term. */
  private volatile long claimed;

  /** Terms up to this one have ended. */
  private volatile long over;

  /** The result of a change. */
  public sealed interface Result {
    /** The change is persisted. */
    record Persisted() implements Result {}

    /** It is not and will not be. */
    record Rejected(String why) implements Result {}

    /** The outcome is unknown. */
    record Uncertain(String why) implements Result {}
  }

  /** A document as the current term knows it. */
  private static final class Shard {
    private final String name;
    private Map<String, String> entries = Map.of();
    private @Nullable String version;

    /** The term that claimed it; 0 without one. */
    private long term;

    private long lastTerm;

    /** Whether the last write may still be done. */
    private boolean unsure;

    private Shard(String name) {
      this.name = name;
    }
  }

  /**
   * @param documents the documents
   * @param name their prefix, before a number
   * @param count at least 1
   */
  public LeaderStateStore(Documents documents, String name, int count) {
    this.documents = documents;
    this.parts = IntStream.range(0, count).mapToObj(i -> new Shard(name + "-" + i)).toList();
  }

  /**
   * Claims all documents for a term.
   *
   * @return all entries
   * @throws NotClaimedException when that fails; a retry is safe
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
   * Ends the term: only the write in progress may still succeed. Never blocks, since the loss of
   * the Lease must not wait.
   */
  public void close() {
    over = claimed;
  }

  /** Persists an entry under its key. */
  public Result put(long term, String key, String value) {
    return put(partOf(key), term, Map.of(key, value));
  }

  /** Persists entries, all in the first document. */
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

  /** Removes entries; missing ones are fine. Also invalidates earlier writes of unknown outcome. */
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
   * Verifies that the term still owns the document of a key, so that no later leader has the key.
   * Does not block writers.
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

  /** Reads the version after a failed or lost write; whether the write was done. */
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
      case Look.Missing _ -> part.version = null; // deleted: it is created again
      case Look.Failed _ -> {}
    }
    return false;
  }
}
