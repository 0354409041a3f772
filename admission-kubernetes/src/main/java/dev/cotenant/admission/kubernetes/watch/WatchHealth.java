package dev.cotenant.admission.kubernetes.watch;

import dev.cotenant.domain.InputException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** The counters and warnings of one watch, each warning once. */
public final class WatchHealth {
  private static final int MAX_WARNED = 1_000;

  private final String kind;
  private final Consumer<String> warnings;
  private final AtomicLong heardAt = new AtomicLong(System.nanoTime());
  private final AtomicLong skipped = new AtomicLong();
  private final Set<String> warned = new HashSet<>();
  private String lastFailure = "";

  /**
   * @param kind for messages
   * @param warnings one line each
   */
  public WatchHealth(String kind, Consumer<String> warnings) {
    this.kind = kind;
    this.warnings = warnings;
  }

  /** The server has sent data. */
  void heard() {
    heardAt.set(System.nanoTime());
  }

  /** Nanoseconds since the server sent data. */
  long silentNanos() {
    return System.nanoTime() - heardAt.get();
  }

  /** The unreadable objects. */
  long skipped() {
    return skipped.get();
  }

  void listed() {
    synchronized (warned) {
      if (!lastFailure.isEmpty()) {
        lastFailure = "";
        warnings.accept("The API server shows its " + kind + " again");
      }
    }
  }

  /** Whether the last attempt failed. */
  boolean isFailing() {
    synchronized (warned) {
      return !lastFailure.isEmpty();
    }
  }

  /** Counts an unreadable object; one warning for each. */
  void skip(String key, InputException why) {
    skipped.incrementAndGet();
    synchronized (warned) {
      if (warned.size() < MAX_WARNED && warned.add(key)) {
        warnings.accept("Left out of " + kind + ": " + key + ": " + why.getMessage());
      }
    }
  }

  /** The watch fails; one warning for each cause. */
  void failed(String why) {
    synchronized (warned) {
      if (!why.equals(lastFailure)) {
        lastFailure = why;
        warnings.accept("The API server's " + kind + " cannot be watched: " + why);
      }
    }
  }
}
