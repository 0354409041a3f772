package dev.cotenant.domain.forecast;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Used-memory samples of one device in strictly ascending time. It may be empty: no metrics are a
 * visible outcome, not a zero.
 */
public record MemorySeries(List<MemorySample> samples) {
  public static final MemorySeries EMPTY = new MemorySeries(List.of());

  public MemorySeries {
    samples = List.copyOf(samples);
    for (int i = 1; i < samples.size(); i++) {
      Instant before = samples.get(i - 1).at();
      Instant after = samples.get(i).at();
      if (!after.isAfter(before)) {
        throw new IllegalArgumentException(
            "samples must ascend strictly in time, sample " + i + " at " + after + " does not");
      }
    }
  }

  public boolean isEmpty() {
    return samples.isEmpty();
  }

  /** The newest sample, if there is one. */
  public Optional<MemorySample> last() {
    return samples.isEmpty() ? Optional.empty() : Optional.of(samples.getLast());
  }

  /** At most the newest {@code count} samples. */
  public MemorySeries newest(int count) {
    if (count < 0) {
      throw new IllegalArgumentException("count must be at least 0, is " + count);
    }
    int from = Math.max(0, samples.size() - count);
    return new MemorySeries(samples.subList(from, samples.size()));
  }
}
