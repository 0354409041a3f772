package dev.cotenant.interference.solo;

import dev.cotenant.domain.InputException;

/**
 * One profiled run of a workload alone.
 *
 * @param batch samples, at least 1
 * @param sharePercent MPS share, above 0 to 100
 * @param latencyMillis mean time of a batch, positive
 */
public record SoloPoint(int batch, double sharePercent, double latencyMillis) {
  public SoloPoint {
    if (batch < 1) {
      throw InputException.invalidArgument(
          "batch-out-of-range", "The batch size must be at least 1, is " + batch + ".");
    }
    if (!(sharePercent > 0 && sharePercent <= 100)) {
      throw InputException.invalidArgument(
          "share-out-of-range", "A share must be above 0 to 100 %, is " + sharePercent + ".");
    }
    if (!(latencyMillis > 0 && latencyMillis < Double.POSITIVE_INFINITY)) {
      throw InputException.invalidArgument(
          "latency-out-of-range",
          "A latency must be positive and finite, is " + latencyMillis + " ms.");
    }
  }
}
