package dev.cotenant.datasets.collector;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/**
 * The cells of one row, read but not yet judged.
 *
 * @param positions where each column stands, from 0
 * @param cells the row
 */
record CollectedRun(Map<String, Integer> positions, CSVRecord cells) {
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
  private static final long LEAST_SAMPLES = 10;

  /** More than any device has. */
  private static final long MAX_MEMORY_BYTES = 1L << 44;

  /** Refuses what is no finished run in a closed loop. */
  void requireComparable() {
    String status = required("status");
    if (!status.equals("ok")) {
      throw new UnusableRunException(status + ": " + text("message"));
    }
    String arrival = required("arrival");
    if (!arrival.equals("closed")) {
      throw new UnusableRunException(
          "arrival is '" + arrival + "': only runs in a closed loop say what a workload can use");
    }
    if (text("utilization_mean_percent").isEmpty() && text("peak_memory_bytes").isEmpty()) {
      throw new UnusableRunException("neither utilization nor peak memory was measured");
    }
  }

  String session() {
    return required("session");
  }

  String family() {
    return required("family");
  }

  String model() {
    return required("model");
  }

  String graph() {
    return required("graph");
  }

  int batch() {
    return (int) integer("batch_size", 1, 1 << 24);
  }

  RunSettings settings() {
    return new RunSettings(
        parsed("mode", ExecutionMode::parse), parsed("precision", Precision::parse));
  }

  DeviceId device() {
    String cell = required("device");
    if (!cell.matches("[a-z0-9][a-z0-9-]*")) {
      throw bad("device", "lower-case letters, digits and hyphens");
    }
    return new DeviceId(cell);
  }

  /** The mean over the window, weighted with time; null where the device does not tell it. */
  @Nullable Utilization utilization() {
    String cell = text("utilization_mean_percent");
    if (cell.isEmpty()) {
      return null;
    }
    if (!cell.matches("[0-9]{1,3}(\\.[0-9]{1,15})?(e-[0-9]{1,3})?")) {
      throw bad("utilization_mean_percent", "a number from 0 to 100");
    }
    double percent = Double.parseDouble(cell);
    if (percent > Utilization.FULL.percent()) {
      throw bad("utilization_mean_percent", "a number from 0 to 100");
    }
    integer("samples", LEAST_SAMPLES, Integer.MAX_VALUE);
    return Utilization.ofPercent(percent);
  }

  /** The device's peak less what was in use before the first process; null where not told. */
  @Nullable MemorySize peakMemory() {
    return text("peak_memory_bytes").isEmpty()
        ? null
        : MemorySize.ofBytes(integer("peak_memory_bytes", 1, MAX_MEMORY_BYTES));
  }

  private <T> T parsed(String column, Function<String, T> parser) {
    try {
      return parser.apply(required(column));
    } catch (InputException e) {
      throw new UnusableRunException(e.getMessage());
    }
  }

  private long integer(String column, long least, long most) {
    String cell = required(column);
    if (cell.matches("[0-9]{1,18}")) {
      long value = Long.parseLong(cell);
      if (value >= least && value <= most) {
        return value;
      }
    }
    throw bad(column, "a whole number from " + least + " to " + most);
  }

  private UnusableRunException bad(String column, String expected) {
    return new UnusableRunException(column + " '" + text(column) + "' is not " + expected);
  }

  private String required(String column) {
    String cell = text(column);
    if (cell.isEmpty()) {
      throw new UnusableRunException(column + " is empty");
    }
    return cell;
  }

  private String text(String column) {
    int position = positions.getOrDefault(column, Integer.MAX_VALUE);
    if (position >= cells.size()) {
      throw new UnusableRunException("the row ends before column " + column);
    }
    return cells.get(position).strip();
  }
}
