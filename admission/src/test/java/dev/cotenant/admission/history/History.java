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

  /** A time: later than what was, earlier than what will be. */
  public long now() {
    return clock.incrementAndGet();
  }

  /** Makes a call, and records it with its answer. */
  public Call make(Supplier<Call> caller) {
    long from = now();
    Call call = caller.get();
    add(call, from);
    return call;
  }

  /** Records a call that began at this time and was answered now. */
  public void add(Call call, long from) {
    long until = now();
    add(new Entry(call, from, call.isAnswered() ? until : Long.MAX_VALUE));
  }

  private synchronized void add(Entry entry) {
    entries.add(entry);
  }

  /** In the order of their begin. */
  public synchronized List<Entry> entries() {
    return entries.stream().sorted((one, other) -> Long.compare(one.from, other.from)).toList();
  }
}
