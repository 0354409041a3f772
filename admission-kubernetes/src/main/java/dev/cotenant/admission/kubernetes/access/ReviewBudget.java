package dev.cotenant.admission.kubernetes.access;

import dev.cotenant.admission.kubernetes.access.TokenBucket.Rate;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;

/**
 * How many reviews the API server gets: per time and in flight over all sources, and per time for
 * each source. Safe for use by many threads.
 */
final class ReviewBudget {
  private static final int MAX_SOURCES = 4_096;

  /** A review takes some milliseconds. */
  private static final Duration UNTIL_ONE_ENDS = Duration.ofSeconds(1);

  private final TokenBucket all;
  private final Rate perSource;
  private final Semaphore inFlight;
  private final Map<String, TokenBucket> sources =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, TokenBucket> eldest) {
          return size() > MAX_SOURCES;
        }
      };

  ReviewBudget(Rate overall, Rate perSource, int inFlight) {
    all = new TokenBucket(overall);
    this.perSource = perSource;
    this.inFlight = new Semaphore(inFlight);
  }

  /** Begins a review; zero where it may, else the time after which it may. */
  Duration begin(String source, Instant now) {
    if (!inFlight.tryAcquire()) {
      return UNTIL_ONE_ENDS;
    }
    Duration wait = take(source, now);
    if (!wait.isZero()) {
      inFlight.release();
    }
    return wait;
  }

  /** Ends a review that began. */
  void end() {
    inFlight.release();
  }

  private synchronized Duration take(String source, Instant now) {
    Duration wait = sources.computeIfAbsent(source, _ -> new TokenBucket(perSource)).take(now);
    return wait.isZero() ? all.take(now) : wait;
  }
}
