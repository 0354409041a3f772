package dev.cotenant.datasets.collector;

import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The cells of one row, read but not yet judged.
 *
 * @param cells the row
 * @param sessions sheets of the folder
 */
record CollectedRun(DataRow cells, CollectedSessions sessions) {
  static final String STEP_TIME = "step_p50_seconds";

  /** The columns that are read; the table has more. */
  static final List<String> COLUMNS =
      List.of(
          "session",
          "device",
          "model",
          "family",
          "batch_size",
          "mode",
          "precision",
          "arrival",
          "status",
          "message",
          "graph",
          "samples",
          "utilization_mean_percent",
          "peak_memory_bytes");

  /** A mean over fewer readings of the device's counters says little. */
  private static final long MIN_SAMPLES = 10;

  /** More than any device has. */
  private static final long MAX_MEMORY_BYTES = 1L << 44;

  /** Refuses what is no finished run in a closed loop. */
  void requireComparable() {
    String status = cells.text("status");
    if (!status.equals("ok")) {
      throw new UnusableRowException(status + ": " + cells.textOrEmpty("message"));
    }
    String arrival = cells.text("arrival");
    if (!arrival.equals("closed")) {
      throw new UnusableRowException(
          "arrival is '" + arrival + "': only runs in a closed loop say what a workload can use");
    }
    if (cells.textOrEmpty("utilization_mean_percent").isEmpty()
        && cells.textOrEmpty("peak_memory_bytes").isEmpty()) {
      throw new UnusableRowException("neither utilization nor peak memory was measured");
    }
  }

  String session() {
    return cells.text("session");
  }

  String family() {
    return cells.text("family");
  }

  String model() {
    return cells.text("model");
  }

  String graph() {
    return cells.text("graph");
  }

  int batch() {
    return (int) cells.integer("batch_size", 1, 1 << 24);
  }

  RunSettings settings() {
    return CollectedJob.settings(
            parsed("mode", ExecutionMode::parse), parsed("precision", Precision::parse))
        .withFramework(sessions.framework(session()));
  }

  DeviceId device() {
    String cell = cells.text("device");
    if (!cell.matches("[a-z0-9][a-z0-9-]*")) {
      throw cells.bad("device", "lower-case letters, digits and hyphens");
    }
    return new DeviceId(cell);
  }

  /** The mean over the window, weighted with time; null where the device does not report it. */
  @Nullable Utilization utilization() {
    if (!cells.has("utilization_mean_percent")) {
      return null;
    }
    Utilization mean = Utilization.ofPercent(cells.percent("utilization_mean_percent"));
    cells.integer("samples", MIN_SAMPLES, Integer.MAX_VALUE);
    return mean;
  }

  /** The device's peak less what was in use before the first process; null where not reported. */
  @Nullable MemorySize peakMemory() {
    return cells.has("peak_memory_bytes")
        ? MemorySize.ofBytes(cells.integer("peak_memory_bytes", 1, MAX_MEMORY_BYTES))
        : null;
  }

  /** Half of the steps or batches took at most this long; null where not reported. */
  @Nullable Duration stepTime() {
    return cells.has(STEP_TIME)
        ? Duration.ofNanos(Math.round(1e9 * cells.number(STEP_TIME, 1e-9, 1e6)))
        : null;
  }

  private <T> T parsed(String column, Function<String, T> parser) {
    try {
      return parser.apply(cells.text(column));
    } catch (InputException e) {
      throw new UnusableRowException(e.getMessage());
    }
  }
}
