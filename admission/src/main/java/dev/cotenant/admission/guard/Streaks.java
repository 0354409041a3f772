package dev.cotenant.admission.guard;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How long limits have been exceeded, or kept again. Not persisted: a new leader begins anew, and
 * acts a few minutes later. Immutable once a step is over.
 *
 * @param all by pod and signal
 */
record Streaks(Map<Watched, Streak> all) {
  static final Streaks NONE = new Streaks(Map.of());

  /** Samples farther apart say nothing of the time between. */
  static final Duration MAX_GAP = Duration.ofMinutes(3);

  /**
   * Time of running pods in a streak that moves a pod. Means of two minutes before and after a
   * standstill are of pods that seem to run slowly, for less.
   */
  private static final Duration MIN_RUNNING = Duration.ofMinutes(3);

  /** A pod and a signal. */
  record Watched(String uid, Signal signal) {}

  /**
   * Samples of one verdict.
   *
   * @param broken whether beyond the limit
   * @param beside uids of all pods of the GPU, the measured one included
   * @param since time of the first
   * @param last time of the last
   * @param seen time of the newest sample of any verdict
   * @param running time between samples at which the pod made steps
   * @param stands whether it made none at the last
   */
  record Streak(
      boolean broken,
      Set<String> beside,
      Instant since,
      Instant last,
      Instant seen,
      Duration running,
      boolean stands) {
    Streak {
      beside = Set.copyOf(beside);
    }

    Duration length() {
      return Duration.between(since, last);
    }

    /** Whether it blames neighbours: a pod that stands for most of the time waits otherwise. */
    boolean moves(Duration time) {
      return running.compareTo(time.compareTo(MIN_RUNNING) < 0 ? time : MIN_RUNNING) >= 0;
    }

    private Streak with(Sample sample) {
      boolean ran = !stands && !sample.isStandstill();
      return new Streak(
          broken,
          beside,
          since,
          sample.at(),
          sample.at(),
          ran ? running.plus(Duration.between(last, sample.at())) : running,
          sample.isStandstill());
    }

    private Streak seen(Instant at) {
      return new Streak(broken, beside, since, last, at, running, stands);
    }

    private boolean continuesWith(boolean verdict, Set<String> others, Instant at) {
      return broken == verdict
          && beside.equals(others)
          && Duration.between(last, at).compareTo(MAX_GAP) <= 0;
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

  /**
   * The streak after a further sample; samples in the dead band do not extend it. Null without a
   * streak.
   */
  static @Nullable Streak next(@Nullable Streak before, Sample sample, Set<String> beside) {
    boolean broken = sample.isBroken();
    if (broken || sample.isKept()) {
      Instant at = sample.at();
      return before != null && before.continuesWith(broken, beside, at)
          ? before.with(sample)
          : new Streak(broken, beside, at, at, at, Duration.ZERO, sample.isStandstill());
    }
    return before == null ? null : before.seen(sample.at());
  }
}
