package dev.cotenant.service.evidence;

import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.review.Intent;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence.WithinLimits;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.engine.lifecycle.StoreException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Counts decisions, and measured runs against the bounds that were predicted of them before. Counts
 * are stored by {@link #flush}, at the latest when they are read. Thread safe.
 */
public final class EvidenceCounts {
  /** Counts of so many days are stored. */
  static final Duration WINDOW = Duration.ofDays(30);

  /** A GPU on which nobody works shows some hundred MiB. */
  private static final long IDLE_BYTES = 1L << 30;

  private static final double SLOWED = 1.05;
  private static final double MILLI = 1e3;
  private static final double MICRO = 1e6;

  /** Pods that wait, of which the last report is remembered. */
  private static final int MAX_REPORTED = 10_000;

  private final Map<String, Observed> reported =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Observed> eldest) {
          return size() > MAX_REPORTED;
        }
      };

  private final EvidenceStore store;
  private final Bounds bounds;
  private final InstantSource clock;
  private final ReentrantLock flushing = new ReentrantLock();
  private Map<EvidenceStore.Key, Long> pending = new HashMap<>();
  private long trimmed = Long.MIN_VALUE;

  /** Predicts a run as it would be predicted now, without having seen it. */
  @FunctionalInterface
  public interface Bounds {
    Prediction of(ProfileRow row);
  }

  /**
   * Counts of a namespace.
   *
   * @param counts without those that are zero
   * @param sinceDay first day of the counts, since 1970
   */
  public record Known(String namespace, Map<Observed, Long> counts, long sinceDay) {
    public Known {
      counts = Map.copyOf(counts);
    }

    public long count(Observed kind) {
      return counts.getOrDefault(kind, 0L);
    }
  }

  public EvidenceCounts(EvidenceStore store, Bounds bounds, InstantSource clock) {
    this.store = store;
    this.bounds = bounds;
    this.clock = clock;
  }

  /**
   * Counts a decision about a pod; dry runs are not counted, and of one that waits the gate reports
   * every change of its reasons, which counts once.
   */
  public void decided(DecisionRecord record) {
    String namespace = record.pod().namespace();
    Observed kind = kind(record.decision());
    if (record.intent() == Intent.DRY_RUN || isReportedAgain(record, kind)) {
      return;
    }
    count(namespace, kind, 1);
    if (record.decision() instanceof Decision.Admitted(_, WithinLimits limits)
        && kind == Observed.DECIDED_SHARED) {
      double slowdown = limits.slowdown().ratio();
      count(namespace, Observed.PREDICTED_SLOWDOWN_MILLI, Math.round(MILLI * slowdown));
      if (slowdown > SLOWED) {
        count(namespace, Observed.PREDICTED_SLOWED, 1);
      }
    }
  }

  /** Pods of which a generated name is not known yet are decided about once each. */
  private synchronized boolean isReportedAgain(DecisionRecord record, Observed kind) {
    if (record.mode() != Policy.Mode.ENFORCE || record.pod().name() == null) {
      return false;
    }
    String pod = record.pod().toString();
    if (kind == Observed.DECIDED_HELD || kind == Observed.DECIDED_DENIED) {
      return kind == reported.put(pod, kind);
    }
    reported.remove(pod);
    return false;
  }

  /** Whether a decision admits a pod beside others. */
  public static boolean isShared(Decision decision) {
    return decision instanceof Decision.Admitted(_, WithinLimits limits)
        && (limits.tenants() > 1 || limits.memoryUsed().bytes() > IDLE_BYTES);
  }

  /** Counts the time for which a pod that would share had a whole GPU alone. */
  public void wouldSave(String namespace, Duration time, double pricePerHour) {
    double seconds = time.toMillis() / MILLI;
    count(namespace, Observed.WOULD_SAVE_SECONDS, Math.round(seconds));
    count(
        namespace,
        Observed.WOULD_SAVE_MICROS,
        Math.round(MICRO * pricePerHour * seconds / Duration.ofHours(1).toSeconds()));
  }

  private static Observed kind(Decision decision) {
    return switch (decision) {
      case Decision.Admitted _ when isShared(decision) -> Observed.DECIDED_SHARED;
      case Decision.Admitted _ -> Observed.DECIDED_ALONE;
      case Decision.Held _ -> Observed.DECIDED_HELD;
      case Decision.Denied _ -> Observed.DECIDED_DENIED;
    };
  }

  /** Compares a measured run, which predictions do not know yet, with its bounds. */
  public void measured(String namespace, ProfileRow row) {
    measured(namespace, row, bounds.of(row));
  }

  /** Current prediction for a run. */
  public Prediction predicted(ProfileRow row) {
    return bounds.of(row);
  }

  /** Compares a measured run with a prediction from before it was known. */
  public void measured(String namespace, ProfileRow row, Prediction prediction) {
    @Nullable Utilization utilization = row.measurement().utilization();
    if (utilization != null) {
      count(namespace, Observed.UTILIZATION_CHECKED, 1);
      if (utilization.percent() <= prediction.utilization().upper().percent()) {
        count(namespace, Observed.UTILIZATION_HELD, 1);
      }
    }
    @Nullable MemorySize peak = row.measurement().peakMemory();
    if (peak != null) {
      count(namespace, Observed.MEMORY_CHECKED, 1);
      if (peak.isAtMost(prediction.peakMemory().upper())) {
        count(namespace, Observed.MEMORY_HELD, 1);
      }
    }
  }

  private synchronized void count(String namespace, Observed kind, long amount) {
    if (amount != 0) {
      pending.merge(new EvidenceStore.Key(namespace, kind, today()), amount, Long::sum);
    }
  }

  private long today() {
    return Math.floorDiv(clock.instant().getEpochSecond(), Duration.ofDays(1).toSeconds());
  }

  /**
   * Stores what was counted, and deletes what is too old once a day.
   *
   * @throws dev.cotenant.engine.lifecycle.StoreException where the database cannot be used; counts
   *     are stored by the next call
   */
  public void flush() {
    flushing.lock();
    try {
      Map<EvidenceStore.Key, Long> taken = taken();
      if (!taken.isEmpty()) {
        store(taken);
      }
      if (trimmed != today()) {
        store.trim(today() - WINDOW.toDays());
        trimmed = today();
      }
    } finally {
      flushing.unlock();
    }
  }

  private synchronized Map<EvidenceStore.Key, Long> taken() {
    Map<EvidenceStore.Key, Long> taken = pending;
    pending = new HashMap<>();
    return taken;
  }

  /** No count waits for the database meanwhile. */
  private void store(Map<EvidenceStore.Key, Long> taken) {
    try {
      store.add(taken);
    } catch (StoreException e) {
      synchronized (this) {
        taken.forEach((key, amount) -> pending.merge(key, amount, Long::sum));
      }
      throw e;
    }
  }

  /**
   * Every namespace with a count, by name.
   *
   * @param listed namespaces that are included without counts
   */
  public List<Known> namespaces(Set<String> listed) {
    flush();
    Map<String, Map<Observed, Long>> counts = new TreeMap<>();
    listed.forEach(namespace -> counts.put(namespace, new EnumMap<>(Observed.class)));
    Map<String, Long> since = new HashMap<>();
    for (EvidenceStore.Entry entry : store.all()) {
      EvidenceStore.Key key = entry.key();
      counts
          .computeIfAbsent(key.namespace(), _ -> new EnumMap<>(Observed.class))
          .merge(key.kind(), entry.amount(), Long::sum);
      since.merge(key.namespace(), key.day(), Math::min);
    }
    List<Known> known = new ArrayList<>();
    counts.forEach((namespace, its) ->
        known.add(new Known(namespace, its, since.getOrDefault(namespace, today()))));
    return known;
  }

  /** Whether a namespace may be enforced, by its counts and its policy. */
  public static Readiness readiness(Known known, Policies policies) {
    return Readiness.of(known, policies.of(known.namespace()).mode());
  }
}
