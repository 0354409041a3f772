package dev.cotenant.admission.state;

import dev.cotenant.admission.state.Documents.Content;
import dev.cotenant.admission.state.Documents.ReadResult;
import dev.cotenant.admission.state.Documents.WriteOutcome;
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
 * <p>A new term claims every document before it trusts the content: it overwrites the version it
 * read with its term's number. From then on every write of an earlier leader, sent or in flight,
 * tests an outdated version and fails, and the earlier leader finds the greater term. So every
 * write acknowledged to an earlier leader is read here, and none of its later ones succeeds.
 *
 * <p>A write with a lost answer may still succeed. It is repeated on the current version until its
 * outcome is certain or the attempts are used up; then the outcome is unknown until the next write
 * to the document, which writes all entries and invalidates the lost one.
 */
public final class LeaderStateStore {
  /** The largest document; the API server accepts 1 MiB. */
  public static final int MAX_BYTES = 900_000;

  private static final int ATTEMPTS = 4;

  private final Documents documents;
  private final List<Shard> shards;

  /** The greatest claimed term. */
  private volatile long claimed;

  /** Last ended term. */
  private volatile long ended;

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
    private boolean uncertain;

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
    this.shards = IntStream.range(0, count).mapToObj(i -> new Shard(name + "-" + i)).toList();
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
    for (Shard shard : shards) {
      synchronized (shard) {
        claim(shard, term);
        all.putAll(shard.entries);
      }
    }
    return all;
  }

  private void claim(Shard shard, long term) {
    if (term < shard.lastTerm) {
      throw new NotClaimedException("this process has led a later term than " + term);
    }
    shard.lastTerm = term;
    shard.term = 0;
    String why = "";
    for (int i = 0; i < ATTEMPTS; i++) {
      ReadResult read = documents.read(shard.name);
      if (read instanceof ReadResult.Failed(String failure)) {
        throw new NotClaimedException(shard.name + ": " + failure);
      }
      Content content = content(read);
      if (content.term() > term) {
        throw new NotClaimedException(shard.name + " is of the later term " + content.term());
      }
      Content claimed = new Content(term, content.entries());
      switch (documents.write(shard.name, version(read), claimed)) {
        case WriteOutcome.Done(String version) -> {
          done(shard, version, claimed);
          shard.term = term;
          return;
        }
        case WriteOutcome.Conflict _ -> why = "changes all the time";
        case WriteOutcome.Unknown(String unknown) -> why = unknown;
        case WriteOutcome.Refused(String refusal) ->
            throw new NotClaimedException(shard.name + ": " + refusal);
      }
    }
    throw new NotClaimedException(shard.name + ": " + why);
  }

  private static void done(Shard shard, String version, Content content) {
    shard.version = version;
    shard.entries = content.entries();
    shard.uncertain = false;
  }

  private static Content content(ReadResult read) {
    return read instanceof ReadResult.Found(String _, Content content)
        ? content
        : new Content(0, Map.of());
  }

  private static @Nullable String version(ReadResult read) {
    return read instanceof ReadResult.Found(String version, Content _) ? version : null;
  }

  /**
   * Ends the term: only the write in progress may still succeed. Never blocks, since the loss of
   * the Lease must not wait.
   */
  public void close() {
    ended = claimed;
  }

  /** Persists an entry under its key. */
  public Result put(long term, String key, String value) {
    return put(shardOf(key), term, Map.of(key, value));
  }

  /** Persists entries, all in the first document. */
  public Result putAll(long term, Map<String, String> entries) {
    return put(shards.getFirst(), term, entries);
  }

  private Result put(Shard shard, long term, Map<String, String> wanted) {
    synchronized (shard) {
      Map<String, String> entries = new HashMap<>(shard.entries);
      entries.putAll(wanted);
      int bytes = bytes(entries);
      return bytes > MAX_BYTES
          ? new Result.Rejected(shard.name + " is full: " + bytes + " bytes, at most " + MAX_BYTES)
          : write(shard, term, entries);
    }
  }

  /** Removes entries; missing ones are fine. Also invalidates earlier writes of unknown outcome. */
  public Result remove(long term, List<String> keys) {
    Result worst = new Result.Persisted();
    for (Shard shard : shards) {
      synchronized (shard) {
        Map<String, String> entries = new HashMap<>(shard.entries);
        boolean changes = entries.keySet().removeAll(keys) || shard.uncertain;
        if (changes && !(write(shard, term, entries) instanceof Result.Persisted)) {
          worst = new Result.Uncertain(shard.name + " could not be written");
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
    Shard shard = shardOf(key);
    Result ended = new Result.Rejected("term " + term + " has ended");
    if (!has(shard, term)) {
      return ended;
    }
    return switch (documents.read(shard.name)) {
      case ReadResult.Found(String _, Content found) when found.term() > term -> {
        lose(shard, term);
        yield ended;
      }
      case ReadResult.Failed(String why) -> new Result.Uncertain(shard.name + ": " + why);
      default -> has(shard, term) ? new Result.Persisted() : ended;
    };
  }

  private boolean has(Shard shard, long term) {
    synchronized (shard) {
      return shard.term == term && term > ended;
    }
  }

  private static void lose(Shard shard, long term) {
    synchronized (shard) {
      if (shard.term == term) {
        shard.term = 0;
      }
    }
  }

  private Shard shardOf(String key) {
    return shards.get(Math.floorMod(key.hashCode(), shards.size()));
  }

  private static int bytes(Map<String, String> entries) {
    return entries.entrySet().stream()
        .mapToInt(entry -> utf8(entry.getKey()) + utf8(entry.getValue()))
        .sum();
  }

  private static int utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private Result write(Shard shard, long term, Map<String, String> entries) {
    Content wanted = new Content(term, entries);
    String uncertain = "";
    for (int i = 0; i < ATTEMPTS; i++) {
      if (shard.term != term || term <= ended) {
        return result(uncertain, "term " + term + " has ended");
      }
      switch (documents.write(shard.name, shard.version, wanted)) {
        case WriteOutcome.Done(String version) -> {
          done(shard, version, wanted);
          return new Result.Persisted();
        }
        case WriteOutcome.Refused(String why) -> {
          return result(uncertain, shard.name + ": " + why);
        }
        case WriteOutcome.Unknown(String why) -> {
          uncertain = shard.name + ": " + why;
          shard.uncertain = true;
        }
        case WriteOutcome.Conflict _ -> {}
      }
      Reread found = reread(shard, term, wanted);
      if (found == Reread.DONE) {
        return new Result.Persisted();
      }
      if (found == Reread.FAILED && uncertain.isEmpty()) {
        uncertain = shard.name + " cannot be read again";
      }
    }
    return result(uncertain, shard.name + " changes all the time");
  }

  private static Result result(String uncertain, String why) {
    return uncertain.isEmpty() ? new Result.Rejected(why) : new Result.Uncertain(uncertain);
  }

  /**
   * Result of reading after a failed or lost write: the wanted content, different content, or an
   * error.
   */
  private enum Reread {
    DONE,
    OTHER,
    FAILED
  }

  /** Reads the version after a failed or lost write. */
  private Reread reread(Shard shard, long term, Content wanted) {
    switch (documents.read(shard.name)) {
      case ReadResult.Found(String _, Content found) when found.term() > term -> shard.term = 0;
      case ReadResult.Found(String version, Content found) -> {
        shard.version = version;
        if (found.equals(wanted)) {
          done(shard, version, wanted);
          return Reread.DONE;
        }
      }
      case ReadResult.Missing _ -> shard.version = null; // deleted: it is created again
      // It may be done: a write that arrived twice has a conflict for its second answer.
      case ReadResult.Failed _ -> {
        shard.uncertain = true;
        return Reread.FAILED;
      }
    }
    return Reread.OTHER;
  }
}
