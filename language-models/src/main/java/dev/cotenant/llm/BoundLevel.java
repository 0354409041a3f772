package dev.cotenant.llm;

import dev.cotenant.llm.MemoryPrediction.Bounded;
import dev.cotenant.llm.fit.FamilyBound;
import org.jspecify.annotations.Nullable;

/**
 * The level of bounds; outside of what was measured they are twice as wide and have no coverage.
 *
 * @param level share of families in which bounds are to hold, such as 0.9
 * @param measured whether like runs were measured
 */
record BoundLevel(double level, boolean measured) {
  private static final double OUTSIDE = 2;

  /** Addition for a bound: at least 0. */
  double extra(FamilyBound bound) {
    return Math.max(0, bound.at(level)) * (measured ? 1 : OUTSIDE);
  }

  /** What so few families support, to a thousandth; null where it is assumed. */
  @Nullable Double coverage(FamilyBound bound) {
    return measured ? Math.floor(Math.min(level, bound.most()) * 1000) / 1000 : null;
  }

  /**
   * Bytes with an upper bound.
   *
   * @param most base of the upper bound
   */
  Bounded bounded(double mean, double most, FamilyBound bound) {
    return new Bounded((long) mean, (long) Math.ceil(most + extra(bound)), coverage(bound));
  }
}
