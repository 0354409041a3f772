package dev.cotenant.domain.prediction;

import java.time.Instant;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * The cluster's measured runs that a prediction repeats.
 *
 * @param targets which of its estimates do; a model gives the others. In the order of {@link
 *     Target}
 * @param runs how many, at least 1; of two targets the fewer
 * @param last when the newest was measured; of two targets the later
 */
public record MeasuredHere(Set<Target> targets, int runs, Instant last) {
  /** What a run measures. */
  public enum Target {
    UTILIZATION,
    PEAK_MEMORY;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public MeasuredHere {
    if (targets.isEmpty()) {
      throw new IllegalArgumentException("targets must not be empty");
    }
    if (runs < 1) {
      throw new IllegalArgumentException("runs must be at least 1, is " + runs);
    }
    targets = Collections.unmodifiableSet(EnumSet.copyOf(targets));
  }

  /** What both rest on. */
  public MeasuredHere and(MeasuredHere other) {
    EnumSet<Target> both = EnumSet.copyOf(targets);
    both.addAll(other.targets);
    return new MeasuredHere(
        both, Math.min(runs, other.runs), last.isAfter(other.last) ? last : other.last);
  }
}
