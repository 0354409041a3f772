package dev.cotenant.placement.glet;

import dev.cotenant.interference.partition.UtilizationFactor;

/** How much longer a turn takes beside another gpu-let's turn. */
@FunctionalInterface
public interface Interference {
  /** Neighbours are not noticed. */
  Interference NONE = (own, ownSize, other, otherSize) -> 1;

  /** At least 1. */
  double factor(Assignment own, Size ownSize, Assignment other, Size otherSize);

  /** Share of its rate that a turn must sustain beside a neighbour, above 0 to 1. */
  default double keptPart() {
    return 1;
  }

  /** The same where rates may fall short beside a neighbour; latencies may not. */
  default Interference keeping(double part) {
    Interference strict = this;
    return new Interference() {
      @Override
      public double factor(Assignment own, Size ownSize, Assignment other, Size otherSize) {
        return strict.factor(own, ownSize, other, otherSize);
      }

      @Override
      public double keptPart() {
        return part;
      }
    };
  }

  /** gpu-lets' linear model of both gpu-lets' L2 and memory bandwidth [gpu-lets, section 4.4]. */
  static Interference linear(UtilizationFactor formula) {
    return (own, ownSize, other, otherSize) ->
        formula.of(
            own.tenant().usage(own.batch(), ownSize),
            other.tenant().usage(other.batch(), otherSize));
  }
}
