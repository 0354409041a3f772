package dev.cotenant.datasets.colocation;

import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.colocation.SoloLatency;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads iGniter's solo latencies: model, batch, share, milliseconds, L2 and memory bandwidth. */
public final class IgniterSoloSource extends ColocationTable<SoloLatency> {
  private static final List<String> COLUMNS = List.of("model", "batch", "mps_pct", "latency_ms");

  public IgniterSoloSource(Path file) {
    super(
        file,
        COLUMNS,
        row -> List.of(latency(row)),
        (rows, rejected) -> new ColocationRows(rows, List.of(), List.of(), List.of(), rejected));
  }

  private static SoloLatency latency(DataRow row) {
    return new SoloLatency(
        "igniter-solo/" + row.place(),
        row.text("model"),
        row.batch("batch"),
        row.number("mps_pct", Double.MIN_NORMAL, 100),
        row.positive("latency_ms"),
        percent(row, "l2_pct"),
        percent(row, "dram_pct"));
  }

  private static @Nullable Double percent(DataRow row, String column) {
    return row.has(column) ? row.number(column, 0, 100) : null;
  }
}
