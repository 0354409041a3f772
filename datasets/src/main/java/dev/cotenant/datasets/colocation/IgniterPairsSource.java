package dev.cotenant.datasets.colocation;

import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.colocation.PairLatency;
import java.nio.file.Path;
import java.util.List;

/** Reads iGniter's pair latencies: two workloads in MPS partitions of one GPU, one row a side. */
public final class IgniterPairsSource extends ColocationTable<PairLatency> {
  private static final double ROUNDING = 1e-6;
  private static final List<String> COLUMNS =
      List.of(
          "model",
          "batch",
          "mps_pct",
          "co_model",
          "co_batch",
          "co_mps_pct",
          "solo_ms",
          "colocated_ms");

  public IgniterPairsSource(Path file) {
    super(
        file,
        COLUMNS,
        row -> List.of(pair(row)),
        (rows, rejected) -> new ColocationRows(List.of(), rows, List.of(), List.of(), rejected));
  }

  private static PairLatency pair(DataRow row) {
    PairLatency.Side own = side(row, "");
    PairLatency.Side other = side(row, "co_");
    double sum = own.sharePercent() + other.sharePercent();
    if (sum > 100 + ROUNDING) {
      throw new UnusableRowException("the shares add up to " + sum + " %, more than 100");
    }
    return new PairLatency(
        "igniter-pairs/" + row.place(),
        own,
        other,
        row.positive("solo_ms"),
        row.positive("colocated_ms"));
  }

  private static PairLatency.Side side(DataRow row, String prefix) {
    return new PairLatency.Side(
        row.text(prefix + "model"),
        row.batch(prefix + "batch"),
        row.number(prefix + "mps_pct", Double.MIN_NORMAL, 100));
  }
}
