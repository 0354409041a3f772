package dev.cotenant.placement.glet;

import dev.cotenant.interference.partition.UtilizationFactor;

/** How much longer a turn takes beside another gpu-let's turn. */
@FunctionalInterface
interface Interference {
  /** Neighbours are not noticed. */
  Interference NONE = (own, ownSize, other, otherSize) -> 1;

  /** At least 1. */
  double factor(Seat own, Size ownSize, Seat other, Size otherSize);

  /** gpu-lets' linear model of both gpu-lets' L2 and memory bandwidth [gpu-lets, section 4.4]. */
  static Interference linear(UtilizationFactor formula) {
    return (own, ownSize, other, otherSize) ->
        formula.of(
            own.tenant().usage(own.batch(), ownSize),
            other.tenant().usage(other.batch(), otherSize));
  }
}
