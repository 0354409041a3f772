package dev.cotenant.interference.solo;

/** How long a batch takes alone, as a formula over batch and share. */
@FunctionalInterface
public interface SoloCurve {
  /** Milliseconds for a batch in a partition of {@code sharePercent}. */
  double millis(double batch, double sharePercent);
}
