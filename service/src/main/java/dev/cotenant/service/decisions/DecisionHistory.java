package dev.cotenant.service.decisions;

import dev.cotenant.admission.decision.DecisionRecord;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;

/** The newest decisions of this process, at most as many as it was made for. */
public final class DecisionHistory {
  private final int capacity;
  private final Deque<DecisionRecord> newestFirst = new ArrayDeque<>();
  private long added;

  public DecisionHistory(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity must be at least 1, is " + capacity);
    }
    this.capacity = capacity;
  }

  /** Adds a decision; a full history drops the oldest. */
  public synchronized void add(DecisionRecord decision) {
    if (newestFirst.size() == capacity) {
      newestFirst.removeLast();
    }
    newestFirst.addFirst(decision);
    added++;
  }

  /** How many were added; grows with every decision. */
  public synchronized long added() {
    return added;
  }

  /** At most {@code limit} of the decisions that are wanted, newest first. */
  public synchronized List<DecisionRecord> newest(int limit, Predicate<DecisionRecord> wanted) {
    return newestFirst.stream().filter(wanted).limit(limit).toList();
  }
}
