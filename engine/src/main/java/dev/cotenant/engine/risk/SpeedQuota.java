package dev.cotenant.engine.risk;

import dev.cotenant.interference.risk.SharedJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Selects the retained rows of a namespace, so that rare colocations are retained too. */
public final class SpeedQuota {
  /*
   * From the oldest to the newest, a row that follows those of its pod and sharing too soon is left
   * out: it says what they say. Of the others, from the newest to the oldest, a row stays if its
   * sharing has fewer than ROWS_OF_ONE and its kind, alone or beside others, fewer than its quota,
   * of which a quarter is for sources other than progress. So a pod that reports every few seconds
   * displaces neither others nor the speeds alone by which all others are divided.
   */
  /** Minimum time between two rows of a pod beside the same neighbours. */
  public static final Duration INTERVAL = Duration.ofMinutes(5);

  /** Limit for solo rows in that time: a profiling yields two, however short it is. */
  private static final int ALONE_IN_INTERVAL = 2;

  /** Most rows of a configuration beside the same neighbours on a device. */
  public static final int ROWS_OF_ONE = 16;

  /** Most rows alone, of {@link SpeedStore#MAX_ROWS}. */
  public static final int MAX_ALONE = 500;

  /** A quarter of the quota is for less trusted sources. */
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

  private record OfPod(String pod, Cell cell) {}

  /** Indices of the rows to drop, of one namespace in order. */
  public static Set<Integer> surplus(List<MeasuredSpeed> rows) {
    Set<Integer> surplus = tooSoon(rows);
    Map<Cell, Integer> ofCell = new HashMap<>();
    Map<Kind, Integer> ofKinds = new HashMap<>();
    for (int i = rows.size() - 1; i >= 0; i--) {
      MeasuredSpeed row = rows.get(i);
      Cell cell = Cell.of(row);
      boolean stays =
          !surplus.contains(i)
              && ofKinds.getOrDefault(Kind.of(row), 0) < Kind.of(row).most()
              && ofCell.getOrDefault(cell, 0) < ROWS_OF_ONE;
      if (stays) {
        ofCell.merge(cell, 1, Integer::sum);
        ofKinds.merge(Kind.of(row), 1, Integer::sum);
      } else {
        surplus.add(i);
      }
    }
    return surplus;
  }

  private static Set<Integer> tooSoon(List<MeasuredSpeed> rows) {
    Set<Integer> tooSoon = new TreeSet<>();
    Map<OfPod, List<Instant>> kept = new HashMap<>();
    for (int i = 0; i < rows.size(); i++) {
      MeasuredSpeed row = rows.get(i);
      List<Instant> times =
          kept.computeIfAbsent(new OfPod(row.pod(), Cell.of(row)), _ -> new ArrayList<>());
      int first = times.size() - (row.isAlone() ? ALONE_IN_INTERVAL : 1);
      if (first >= 0 && Duration.between(times.get(first), row.at()).compareTo(INTERVAL) < 0) {
        tooSoon.add(i);
      } else {
        times.add(row.at());
      }
    }
    return tooSoon;
  }
}
