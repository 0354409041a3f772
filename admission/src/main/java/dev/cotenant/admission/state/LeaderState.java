package dev.cotenant.admission.state;

import dev.cotenant.admission.guard.GuardNotes;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Workload;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * State that a leader persists for its successor. Bounded: entries beyond the limits are dropped,
 * those of least weight first.
 *
 * @param queue gated pods that were skipped or whose wait began late, by uid
 * @param shortages workloads that ran out of memory
 * @param resubmitted owners whose pods were deleted for that, by namespace, kind and name
 * @param noticed uids of pods whose out-of-memory failure is handled
 * @param guard what the guard has done
 * @param grants digests of the grants of pods in namespaces that no webhook guards, by uid
 */
public record LeaderState(
    Map<String, QueuePosition> queue,
    List<MemoryShortage> shortages,
    Map<String, Resubmissions> resubmitted,
    Set<String> noticed,
    GuardNotes guard,
    Map<String, String> grants) {
  public static final LeaderState NONE = new LeaderState(Map.of(), List.of(), Map.of(), Set.of());

  /** Of a guard that has done nothing, and of guarded grants alone. */
  public LeaderState(
      Map<String, QueuePosition> queue,
      List<MemoryShortage> shortages,
      Map<String, Resubmissions> resubmitted,
      Set<String> noticed) {
    this(queue, shortages, resubmitted, noticed, GuardNotes.NONE, Map.of());
  }

  static final int MAX_QUEUED = 4_000;
  static final int MAX_SHORTAGES = 500;

  /** Of a namespace, whose pods may state failures that did not happen. */
  public static final int MAX_SHORTAGES_OF_NAMESPACE = 50;

  static final int MAX_GRANTS = 2_000;
  static final int MAX_RESUBMITTED = 1_000;
  static final int MAX_NOTICED = 2_000;

  /**
   * The queue position of a gated pod.
   *
   * @param skips grants of GPUs to later pods that it could use
   * @param waitingSince the time from which only our gate is present; null for its creation
   */
  public record QueuePosition(int skips, @Nullable Instant waitingSince) {}

  /**
   * A workload that ran out of memory.
   *
   * @param namespace of its pods; empty in the state of a version that did not note it, and then of
   *     no pod
   * @param workload model, batch and settings
   * @param device the product
   * @param atLeast what its successors are granted at least: more than was too little, and no more
   *     than the GPU has
   * @param times the number of failed pods
   * @param lastAt time of the last failure
   */
  public record MemoryShortage(
      String namespace,
      Workload workload,
      DeviceId device,
      MemorySize atLeast,
      int times,
      Instant lastAt) {
    private static final Duration LIFETIME = Duration.ofDays(30);

    /** Whether it is too old to count. */
    public boolean isOver(Instant now) {
      return !now.isBefore(lastAt.plus(LIFETIME));
    }

    /** Merged with a later failure of the same workload and product. */
    public MemoryShortage and(MemoryShortage later) {
      return new MemoryShortage(
          namespace,
          workload,
          device,
          atLeast.max(later.atLeast),
          times + later.times,
          later.lastAt);
    }
  }

  /**
   * An owner whose pods were deleted.
   *
   * @param times the number of pods, at least 1
   * @param lastAt time of the last deletion
   */
  public record Resubmissions(int times, Instant lastAt) {
    public Resubmissions {
      if (times < 1) {
        throw new IllegalArgumentException("pods cannot have been deleted " + times + " times");
      }
    }
  }

  public LeaderState {
    queue = most(queue, MAX_QUEUED, Comparator.comparingInt(QueuePosition::skips));
    shortages = newest(shortages);
    resubmitted = most(resubmitted, MAX_RESUBMITTED, Comparator.comparing(Resubmissions::lastAt));
    grants = most(grants, MAX_GRANTS, Comparator.naturalOrder());
    noticed =
        Set.copyOf(
            noticed.size() <= MAX_NOTICED
                ? noticed
                : new TreeSet<>(noticed).stream().limit(MAX_NOTICED).collect(Collectors.toSet()));
  }

  private static List<MemoryShortage> newest(List<MemoryShortage> shortages) {
    Map<String, Integer> counts = new HashMap<>();
    return shortages.stream()
        .sorted(Comparator.comparing(MemoryShortage::lastAt).reversed())
        .filter(one -> counts.merge(one.namespace(), 1, Integer::sum) <= MAX_SHORTAGES_OF_NAMESPACE)
        .limit(MAX_SHORTAGES)
        .toList();
  }

  private static <T> Map<String, T> most(Map<String, T> all, int most, Comparator<T> byWeight) {
    if (all.size() <= most) {
      return Map.copyOf(all);
    }
    return new TreeMap<>(all)
        .entrySet().stream()
            .sorted(Map.Entry.<String, T>comparingByValue(byWeight).reversed())
            .limit(most)
            .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
  }
}
