package dev.cotenant.forecast.sizing;

import java.time.Instant;

/**
 * A window of a workload and its successor.
 *
 * @param group group of similar windows, such as the pods of a workload
 * @param series whose window it is
 * @param end of the window, and start of the next one
 * @param past the window
 * @param nextPeak the most used in the next one, in bytes; positive
 */
public record SizingRow(
    String group, String series, Instant end, UsedWindow past, double nextPeak) {
  /** Logarithm of the ratio of the next peak to this one. */
  double rise() {
    return Math.log(nextPeak / past.peak());
  }
}
