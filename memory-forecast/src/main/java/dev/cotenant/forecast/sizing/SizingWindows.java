package dev.cotenant.forecast.sizing;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.RecordedDevice;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The windows of recorded series. A window counts where it has samples in two fifths of its time
 * and something was used; others say little of a peak.
 *
 * @param length of the past, and of the next window; positive
 * @param stride between the ends of two windows; positive
 * @param step between two samples; positive
 */
public record SizingWindows(Duration length, Duration stride, Duration step) {
  private static final double MIN_SHARE = 0.4;

  public SizingWindows {
    if (!length.isPositive() || !stride.isPositive() || !step.isPositive()) {
      throw new IllegalArgumentException("length, stride and step must be positive");
    }
  }

  /** Consecutive pairs of windows, from the first to the last sample. */
  public List<SizingRow> rows(RecordedDevice device) {
    Track track = new Track(device);
    List<SizingRow> rows = new ArrayList<>();
    Instant last = Instant.ofEpochMilli(track.times[track.times.length - 1]);
    Instant end = Instant.ofEpochMilli(track.times[0]).plus(length);
    for (; !end.plus(length).isAfter(last); end = end.plus(stride)) {
      row(device, track, end).ifPresent(rows::add);
    }
    return rows;
  }

  /** The pair around an instant; empty where one of the two has too few samples. */
  public Optional<SizingRow> row(RecordedDevice device, Instant end) {
    return row(device, new Track(device), end);
  }

  private Optional<SizingRow> row(RecordedDevice device, Track track, Instant end) {
    double[] next = track.between(end, end.plus(length));
    double peak = Arrays.stream(next).max().orElse(0);
    return isCovered(next) && peak > 0
        ? past(track, end)
            .map(past -> new SizingRow(device.group(), device.name(), end, past, peak))
        : Optional.empty();
  }

  /** The window that ends at an instant; empty where it has too few samples. */
  public Optional<UsedWindow> past(RecordedDevice device, Instant end) {
    return past(new Track(device), end);
  }

  private Optional<UsedWindow> past(Track track, Instant end) {
    double[] bytes = track.between(end.minus(length), end);
    return isCovered(bytes) && Arrays.stream(bytes).anyMatch(used -> used > 0)
        ? Optional.of(UsedWindow.of(bytes, track.capacity))
        : Optional.empty();
  }

  private boolean isCovered(double[] bytes) {
    return bytes.length * (double) step.toMillis() >= MIN_SHARE * length.toMillis();
  }

  /** A series in arrays. */
  private static final class Track {
    private final long[] times;
    private final double[] bytes;
    private final double capacity;

    Track(RecordedDevice device) {
      List<MemorySample> samples = device.series().samples();
      times = samples.stream().mapToLong(sample -> sample.at().toEpochMilli()).toArray();
      bytes = samples.stream().mapToDouble(sample -> sample.used().bytes()).toArray();
      capacity = device.capacity().bytes();
    }

    /** Samples after an instant, up to and including another. */
    double[] between(Instant after, Instant upTo) {
      int from = following(after.toEpochMilli());
      return IntStream.range(from, Math.max(from, following(upTo.toEpochMilli())))
          .mapToDouble(i -> bytes[i])
          .toArray();
    }

    private int following(long time) {
      int at = Arrays.binarySearch(times, time);
      return at >= 0 ? at + 1 : -at - 1;
    }
  }
}
