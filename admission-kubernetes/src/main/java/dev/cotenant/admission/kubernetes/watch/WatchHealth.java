package dev.cotenant.admission.kubernetes.watch;

import dev.cotenant.domain.InputException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** What came of watching one kind: what is counted, and what is said about it, once each. */
public final class WatchHealth {
  private static final int MAX_TOLD = 1_000;

  private final String kind;
  private final Consumer<String> warnings;
  private final AtomicLong heardAt = new AtomicLong(System.nanoTime());
  private final AtomicLong skipped = new AtomicLong();
  private final AtomicLong lists = new AtomicLong();
  private final Set<String> told = new HashSet<>();
  private String lastFailure = "";

  /**
   * @param kind for messages
   * @param warnings takes one line each
   */
  public WatchHealth(String kind, Consumer<String> warnings) {
    this.kind = kind;
    this.warnings = warnings;
  }

  /** The server has said something. */
  void heard() {
    heardAt.set(System.nanoTime());
  }

  /** Nanoseconds since the server has said something. */
  long silentNanos() {
    return System.nanoTime() - heardAt.get();
  }

  /** How many objects were left out. */
  long skipped() {
    return skipped.get();
  }

  /** How often everything was listed. */
  long lists() {
    return lists.get();
  }

  void listed() {
    lists.incrementAndGet();
    synchronized (told) {
      if (!lastFailure.isEmpty()) {
        lastFailure = "";
        warnings.accept("The API server shows its " + kind + " again");
      }
    }
  }

  /** An object is left out; said once for each. */
  void skip(String key, InputException why) {
    skipped.incrementAndGet();
    synchronized (told) {
      if (told.size() < MAX_TOLD && told.add(key)) {
        warnings.accept("Left out of " + kind + ": " + key + ": " + why.getMessage());
      }
    }
  }

  /** The server cannot be watched; said once until it changes. */
  void failed(String why) {
    synchronized (told) {
      if (!why.equals(lastFailure)) {
        lastFailure = why;
        warnings.accept("The API server's " + kind + " cannot be watched: " + why);
      }
    }
  }
}
