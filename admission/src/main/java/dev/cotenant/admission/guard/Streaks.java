package dev.cotenant.admission.guard;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How long promises have been broken, or kept again. Immutable. Not persisted: a new leader begins
 * anew, and acts a few minutes later.
 *
 * @param all by pod and signal
 */
record Streaks(Map<Watched, Streak> all) {
  static final Streaks NONE = new Streaks(Map.of());

  /** Samples farther apart say nothing of the time between. */
  static final Duration MOST_GAP = Duration.ofMinutes(3);

  Streaks {
    all = Map.copyOf(all);
  }

  /** A pod and what is measured of it. */
  record Watched(String uid, Signal signal) {}

  /**
   * Samples of one verdict.
   *
   * @param broken whether beyond the promise
   * @param beside uids of all pods of the GPU, the measured one included
   * @param since time of the first
   * @param last time of the last
   * @param seen time of the newest sample of any verdict
   */
  record Streak(boolean broken, Set<String> beside, Instant since, Instant last, Instant seen) {
    Streak {
      beside = Set.copyOf(beside);
    }

    Duration length() {
      return Duration.between(since, last);
    }

    private boolean continuesWith(boolean verdict, Set<String> others, Instant at) {
      return broken == verdict
          && beside.equals(others)
          && Duration.between(last, at).compareTo(MOST_GAP) <= 0;
    }
  }

  @Nullable Streak of(Watched key) {
    return all.get(key);
  }

  /** Whether a sample of the same time was counted. */
  boolean hasSeen(Watched key, Instant at) {
    Streak streak = all.get(key);
    return streak != null && !at.isAfter(streak.seen);
  }

  /** With one more sample; one within the noise prolongs nothing. */
  Streaks with(Watched key, Sample sample, Set<String> beside) {
    @Nullable Streak before = all.get(key);
    Map<Watched, Streak> next = new HashMap<>(all);
    boolean says = sample.isBroken() || sample.isKept();
    if (says) {
      boolean broken = sample.isBroken();
      boolean continues = before != null && before.continuesWith(broken, beside, sample.at());
      Instant since = continues && before != null ? before.since : sample.at();
      next.put(key, new Streak(broken, beside, since, sample.at(), sample.at()));
    } else if (before != null) {
      next.put(
          key, new Streak(before.broken, before.beside, before.since, before.last, sample.at()));
    }
    return new Streaks(next);
  }

  /** Only of these pods. */
  Streaks of(Set<String> uids) {
    Map<Watched, Streak> rest = new HashMap<>(all);
    rest.keySet().removeIf(key -> !uids.contains(key.uid()));
    return rest.size() == all.size() ? this : new Streaks(rest);
  }
}
