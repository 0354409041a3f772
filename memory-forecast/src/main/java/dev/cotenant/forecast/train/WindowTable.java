package dev.cotenant.forecast.train;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.forecast.RecordedDevice;
import dev.cotenant.forecast.history.HistoryFeatures;
import dev.cotenant.forecast.history.Situation;
import dev.cotenant.forecast.history.SteppedHistory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Every instant of some series as a row: its features and its future. A second row forgets the
 * older part, for "seen for an hour" and "alive for an hour" are different things.
 */
final class WindowTable {
  /** Lengths that a second copy of each window is cut to: a watcher may have begun just now. */
  private static final int[] SHORT_LENGTHS = {20, 30, 60, 120};

  /** The recordings begin with pods that have just begun, too, and these count in full. */
  private static final double SHORTENED_WEIGHT = 0.5;

  private final List<Row> rows = new ArrayList<>();

  /**
   * One instant of one series.
   *
   * @param series number of the series
   * @param features what was known
   * @param situation kind of history
   * @param last used memory then, in bytes
   * @param recentMaximum maximum of the last steps, in bytes; lower limit of a bound
   * @param reference of the features, in bytes
   * @param capacity in bytes
   * @param next used memory one step later
   * @param peak the most used in the steps of the horizon
   * @param share how much the row counts
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Row(
      int series,
      float[] features,
      Situation situation,
      double last,
      double recentMaximum,
      double reference,
      double capacity,
      double next,
      double peak,
      double share) {
    /** How far {@code bytes} lie above what was used, as a share of the reference. */
    double rise(double bytes) {
      return (bytes - last) / reference;
    }

    /** How far {@code bytes} lie above the most of the last steps, as a share of the reference. */
    double excess(double bytes) {
      return (bytes - recentMaximum) / reference;
    }
  }

  /** All windows of these series with a full following horizon. */
  static WindowTable of(List<RecordedDevice> devices) {
    WindowTable table = new WindowTable();
    for (int i = 0; i < devices.size(); i++) {
      table.add(i, devices.get(i));
    }
    return table;
  }

  private void add(int number, RecordedDevice device) {
    List<MemorySample> samples = device.series().samples();
    Duration horizon = Windows.horizon(device.series());
    double capacity = device.capacity().bytes();
    for (int now : Windows.ends(device.series())) {
      int from = Math.max(0, now + 1 - SteppedHistory.MAX_STEPS);
      SteppedHistory history =
          SteppedHistory.of(new MemorySeries(samples.subList(from, now + 1)), horizon);
      double peak = 0;
      for (int i = now + 1; i <= now + SteppedHistory.STEPS; i++) {
        peak = Math.max(peak, (double) samples.get(i).used().bytes());
      }
      double next = samples.get(now + 1).used().bytes();
      rows.add(row(number, history, capacity, new Future(next, peak), 1));
      int shorter = SHORT_LENGTHS[now % SHORT_LENGTHS.length];
      if (shorter < history.length()) {
        rows.add(
            row(
                number,
                history.newest(shorter),
                capacity,
                new Future(next, peak),
                SHORTENED_WEIGHT));
      }
    }
  }

  private record Future(double next, double peak) {}

  private static Row row(
      int number, SteppedHistory history, double capacity, Future future, double share) {
    double reference = HistoryFeatures.reference(history, capacity);
    return new Row(
        number,
        HistoryFeatures.of(history, capacity),
        Situation.of(history, capacity),
        history.last(),
        history.maximum(SteppedHistory.RECENT),
        reference,
        capacity,
        future.next,
        future.peak,
        share);
  }

  /** The rows of some series, by their number. */
  WindowTable ofSeries(IntPredicate wanted) {
    WindowTable part = new WindowTable();
    rows.stream().filter(row -> wanted.test(row.series())).forEach(part.rows::add);
    return part;
  }

  List<Row> rows() {
    return rows;
  }

  float[][] features() {
    return rows.stream().map(Row::features).toArray(float[][]::new);
  }

  /**
   * References, an error counting by its bytes whatever the scale of the features; the mean over
   * the rows is 1.
   */
  double[] weights() {
    double mean =
        rows.stream().mapToDouble(row -> row.share() * row.reference()).average().orElse(1);
    return rows.stream().mapToDouble(row -> row.share() * row.reference() / mean).toArray();
  }
}
