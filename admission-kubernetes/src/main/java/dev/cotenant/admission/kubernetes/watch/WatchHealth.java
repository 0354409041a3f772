package dev.cotenant.admission.kubernetes.watch;

import dev.cotenant.domain.InputException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** The counters and warnings of one watch, each warning once. */
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

  /** Counts an unreadable object; one warning for each. */
  void skip(String key, InputException why) {
    skipped.incrementAndGet();
    synchronized (told) {
      if (told.size() < MAX_TOLD && told.add(key)) {
        warnings.accept("Left out of " + kind + ": " + key + ": " + why.getMessage());
      }
    }
  }

  /** The watch fails; one warning for each cause. */
  void failed(String why) {
    synchronized (told) {
      if (!why.equals(lastFailure)) {
        lastFailure = why;
        warnings.accept("The API server's " + kind + " cannot be watched: " + why);
      }
    }
  }
}
