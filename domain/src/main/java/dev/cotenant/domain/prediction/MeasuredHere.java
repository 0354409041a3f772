package dev.cotenant.domain.prediction;

import java.time.Instant;

/**
 * On what a prediction rests that repeats what the cluster has measured of the same configuration.
 *
 * @param runs how many, at least 1
 * @param last when the newest was measured
 */
public record MeasuredHere(int runs, Instant last) {
  public MeasuredHere {
    if (runs < 1) {
      throw new IllegalArgumentException("runs must be at least 1, is " + runs);
    }
  }
}
