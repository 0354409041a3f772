package dev.cotenant.admission.guard;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How long promises have been broken, or kept again. Not persisted: a new leader begins anew, and
 * acts a few minutes later. Immutable once a step is over.
 *
 * @param all by pod and signal
 */
record Streaks(Map<Watched, Streak> all) {
  static final Streaks NONE = new Streaks(Map.of());

  /** Samples farther apart say nothing of the time between. */
  static final Duration MOST_GAP = Duration.ofMinutes(3);

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

  /** A copy that a step changes; without streaks whose newest sample is before this time. */
  Map<Watched, Streak> mutable(Instant oldest) {
    Map<Watched, Streak> copy = new HashMap<>(all);
    copy.values().removeIf(streak -> streak.seen.isBefore(oldest));
    return copy;
  }

  static Streaks frozen(Map<Watched, Streak> changed) {
    return new Streaks(Collections.unmodifiableMap(changed));
  }

  @Nullable Streak of(Watched key) {
    return all.get(key);
  }

  /** With one more sample; one within the noise prolongs nothing. Null where none speaks. */
  static @Nullable Streak next(@Nullable Streak before, Sample sample, Set<String> beside) {
    boolean broken = sample.isBroken();
    if (broken || sample.isKept()) {
      boolean continues = before != null && before.continuesWith(broken, beside, sample.at());
      Instant since = continues && before != null ? before.since : sample.at();
      return new Streak(broken, beside, since, sample.at(), sample.at());
    }
    return before == null
        ? null
        : new Streak(before.broken, before.beside, before.since, before.last, sample.at());
  }
}
