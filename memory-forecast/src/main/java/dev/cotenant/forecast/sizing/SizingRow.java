package dev.cotenant.forecast.sizing;

import java.time.Instant;

/**
 * A window of a workload and what came after it.
 *
 * @param group windows that may resemble each other have the same, such as the pods of a workload
 * @param series whose window it is
 * @param end of the window, and start of the next one
 * @param past the window
 * @param nextPeak the most used in the next one, in bytes; positive
 */
public record SizingRow(
    String group, String series, Instant end, UsedWindow past, double nextPeak) {
  /** The rise from one peak to the next, as a logarithm. */
  double rise() {
    return Math.log(nextPeak / past.peak());
  }
}
