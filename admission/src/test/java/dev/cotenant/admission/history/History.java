package dev.cotenant.admission.history;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** What callers have called at the same time, and what each was answered. Thread safe. */
public final class History {
  private final AtomicLong clock = new AtomicLong();
  private final List<Entry> entries = new ArrayList<>();

  /**
   * A call.
   *
   * @param call what it was, and its answer
   * @param from before this time it had no effect
   * @param until after this time it had no new effect; {@link Long#MAX_VALUE} where the caller was
   *     not answered
   */
  public record Entry(Call call, long from, long until) {
    /** Whether it was over before another one began. */
    boolean isBefore(Entry other) {
      return until < other.from;
    }
  }

  /** Makes a call, and records it with its answer. */
  public Call make(Supplier<Call> caller) {
    long from = clock.incrementAndGet();
    Call call = caller.get();
    long until = clock.incrementAndGet();
    add(new Entry(call, from, call.isAnswered() ? until : Long.MAX_VALUE));
    return call;
  }

  private synchronized void add(Entry entry) {
    entries.add(entry);
  }

  /** In the order of their begin. */
  public synchronized List<Entry> entries() {
    return entries.stream().sorted((one, other) -> Long.compare(one.from, other.from)).toList();
  }
}
