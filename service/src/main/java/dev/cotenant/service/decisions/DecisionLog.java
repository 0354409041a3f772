package dev.cotenant.service.decisions;

import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.service.decisions.DecisionStore.Entry;
import dev.cotenant.service.decisions.DecisionStore.Stored;
import dev.cotenant.service.decisions.DecisionStore.Wanted;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jboss.logging.Logger;

/**
 * Decisions of all replicas in the database. A decision is stored by {@link #flush}, at the latest
 * when decisions are read, so that no pod waits for the database. Thread safe.
 */
public final class DecisionLog {
  /** Maximum number of stored decisions, regardless of age. */
  static final int MAX = 20_000;

  /** Maximum queued decisions during a database outage; the oldest are dropped. */
  static final int MAX_PENDING = 2_000;

  /** Characters of a name in Kubernetes. */
  private static final int MAX_NAME = 253;

  private static final Logger LOG = Logger.getLogger(DecisionLog.class);
  private static final Duration TRIM = Duration.ofHours(1);

  private final DecisionStore store;
  private final Function<DecisionRecord, Entry> shown;
  private final Duration retention;
  private final InstantSource clock;
  private final ReentrantLock flushing = new ReentrantLock();

  /** Its own monitor is held for no call of the database: reviews add to it. */
  private final Deque<DecisionRecord> pending = new ArrayDeque<>();

  private long dropped;
  private int untrimmed;
  private Instant trimmed = Instant.MIN;

  /**
   * @param shown stored form of a decision
   * @param retention maximum age of a decision
   */
  public DecisionLog(
      DecisionStore store,
      Function<DecisionRecord, Entry> shown,
      Duration retention,
      InstantSource clock) {
    this.store = store;
    this.shown = shown;
    this.retention = retention;
    this.clock = clock;
  }

  /** Takes a decision, which costs nothing yet. */
  public void add(DecisionRecord decision) {
    if (!isStorable(decision.pod())) {
      return; // no API server has such a pod
    }
    synchronized (pending) {
      if (pending.size() == MAX_PENDING) {
        pending.removeFirst();
        dropped++;
        LOG.debug("A decision is not stored: the database accepts no writes");
      }
      pending.addLast(decision);
    }
  }

  /** Reviews may name a pod as they like, and one bad name would keep the others of a flush out. */
  private static boolean isStorable(PodIdentity pod) {
    return pod.namespace().length() <= MAX_NAME
        && pod.toString().length() <= 2 * MAX_NAME
        && pod.toString().indexOf('\0') < 0;
  }

  /**
   * Stores what was added, and deletes what is too old or too much once an hour, and after many
   * decisions.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException where the database cannot be used;
   *     decisions are stored by the next call
   */
  public void flush() {
    flushing.lock();
    try {
      store();
      trim();
    } finally {
      flushing.unlock();
    }
  }

  private void store() {
    List<DecisionRecord> taken;
    long droppedBefore;
    synchronized (pending) {
      taken = List.copyOf(pending);
      droppedBefore = dropped;
    }
    if (taken.isEmpty()) {
      return;
    }
    List<Entry> entries = new ArrayList<>();
    taken.forEach(decision -> entries.add(shown.apply(decision)));
    store.add(entries);
    untrimmed += entries.size();
    synchronized (pending) {
      long left = taken.size() - (dropped - droppedBefore);
      for (long i = 0; i < left; i++) {
        pending.removeFirst();
      }
    }
  }

  private void trim() {
    Instant now = clock.instant();
    boolean isHourOver = now.isAfter(trimmed.equals(Instant.MIN) ? trimmed : trimmed.plus(TRIM));
    if (isHourOver || untrimmed > MAX / 10) {
      store.trim(now.minus(retention), MAX);
      trimmed = now;
      untrimmed = 0;
    }
  }

  /**
   * At most {@code limit} of the wanted, newest first.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException where the database cannot be used
   */
  public List<Stored> newest(Wanted wanted, int limit) {
    flush();
    return store.newest(wanted, limit);
  }
}
