package dev.cotenant.engine.risk;

import dev.cotenant.interference.risk.SharedJob;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Which rows of a namespace stay, so that what was learned of rare sharings does too. */
public final class SpeedQuota {
  /*
   * From the newest to the oldest, a row stays if its pod has none yet of the same sharing and
   * interval, its sharing has fewer than ROWS_OF_ONE, and its kind, alone or beside others, fewer
   * than its quota, of which a quarter is for sources other than progress. So a pod that reports every few seconds displaces neither others nor the speeds
   * alone by which all others are divided.
   */
  /** Rows of a pod in a sharing within this time say what one says. */
  public static final Duration INTERVAL = Duration.ofMinutes(5);

  /** Most rows of a configuration beside the same neighbours on a device. */
  public static final int ROWS_OF_ONE = 16;

  /** Most rows alone, of {@link SpeedStore#MAX_ROWS}. */
  public static final int MAX_ALONE = 500;

  /** One part of so many is for sources that are trusted less. */
  private static final int OTHERS = 4;

  private SpeedQuota() {}

  private record Cell(
      String device, String configuration, List<String> neighbours, SpeedSource source) {
    static Cell of(MeasuredSpeed row) {
      return new Cell(
          row.device(),
          row.job().configuration(),
          row.neighbours().stream().map(SharedJob::configuration).sorted().toList(),
          row.source());
    }
  }

  private record Kind(boolean isAlone, boolean isProgress) {
    static Kind of(MeasuredSpeed row) {
      return new Kind(row.isAlone(), row.source() == SpeedSource.PROGRESS);
    }

    int most() {
      int all = isAlone ? MAX_ALONE : SpeedStore.MAX_ROWS - MAX_ALONE;
      return isProgress ? all : all / OTHERS;
    }
  }

  private record OfPod(String pod, Cell cell, long interval) {}

  /** The places of the rows that do not stay, of one namespace in their order. */
  public static Set<Integer> surplus(List<MeasuredSpeed> rows) {
    Set<Integer> surplus = new TreeSet<>();
    Map<Cell, Integer> ofCell = new HashMap<>();
    Set<OfPod> ofPods = new HashSet<>();
    Map<Kind, Integer> ofKinds = new HashMap<>();
    for (int i = rows.size() - 1; i >= 0; i--) {
      MeasuredSpeed row = rows.get(i);
      Cell cell = Cell.of(row);
      long interval = row.at().getEpochSecond() / INTERVAL.toSeconds();
      boolean stays =
          ofKinds.getOrDefault(Kind.of(row), 0) < Kind.of(row).most()
              && ofCell.getOrDefault(cell, 0) < ROWS_OF_ONE
              && ofPods.add(new OfPod(row.pod(), cell, interval));
      if (stays) {
        ofCell.merge(cell, 1, Integer::sum);
        ofKinds.merge(Kind.of(row), 1, Integer::sum);
      } else {
        surplus.add(i);
      }
    }
    return surplus;
  }
}
