package dev.cotenant.datasets.named;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.Precision;
import java.util.List;
import java.util.Map;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/**
 * The cells of one row, read but not yet judged.
 *
 * @param cells one cell a column of {@link #COLUMNS}
 */
record NamedRun(CSVRecord cells) {
  static final List<String> COLUMNS =
      List.of(
          "source",
          "gpu",
          "mode",
          "model",
          "dataset",
          "batch",
          "precision",
          "util_pct",
          "util_definition",
          "peak_mem_mib",
          "note");

  private static final double BYTES_PER_MIB = 1 << 20;
  private static final String DUPLICATE = "SUSPECT-DUPLICATE-NETWORK";

  /** Lucid's table names no device; its paper says RTX 3090. */
  private static final Map<String, DeviceId> DEVICES =
      Map.of(
          "RTX2080Ti", new DeviceId("rtx-2080ti"),
          "RTX3090", new DeviceId("rtx-3090"),
          "(paper: RTX3090)", new DeviceId("rtx-3090"));

  /**
   * Lucid: S-Lab License 1.0; alnair: its repository is under Apache-2.0; the others state none.
   */
  private static final Map<String, Licence> LICENCES =
      Map.of(
          "Lucid", Licence.S_LAB_1,
          "alnair", Licence.APACHE_2,
          "SPREAD", Licence.NONE_STATED,
          "glet", Licence.NONE_STATED);

  String source() {
    return text("source");
  }

  /** The terms of the row's source. */
  Licence licence() {
    return LICENCES.getOrDefault(source(), Licence.UNKNOWN);
  }

  NamedModel.Label label() {
    return new NamedModel.Label(source(), text("model"), text("dataset"));
  }

  /** Refuses what is no trustworthy training run with mean utilization as nvidia-smi reports it. */
  void requireComparable() {
    if (!text("mode").equals("train")) {
      throw new UnusableRunException("mode is '" + text("mode") + "', only training is read");
    }
    String definition = text("util_definition");
    boolean mean =
        definition.equals("nvidia-smi gpu_util mean")
            || definition.startsWith("nvml gpu util, steady mean");
    if (!mean) {
      throw new UnusableRunException(
          "utilization is '" + definition + "', not the mean that nvidia-smi reports");
    }
    if (text("note").contains(DUPLICATE)) {
      throw new UnusableRunException(
          DUPLICATE + ": it measures like a network of another name, so which it was is open");
    }
  }

  DeviceId device() {
    DeviceId device = DEVICES.get(text("gpu"));
    if (device == null) {
      throw new UnusableRunException("unknown gpu '" + text("gpu") + "'");
    }
    return device;
  }

  /** Automatic mixed precision computes in fp16 where it matters. */
  Precision precision() {
    return switch (text("precision")) {
      case "fp32" -> Precision.FP32;
      case "amp" -> Precision.FP16;
      default ->
          throw new UnusableRunException(
              "precision '" + text("precision") + "' is not fp32 or amp");
    };
  }

  int batch() {
    String cell = text("batch");
    if (!cell.matches("[1-9][0-9]{0,8}")) {
      throw new UnusableRunException("batch '" + cell + "' is not a whole number from 1");
    }
    return Integer.parseInt(cell);
  }

  Utilization utilization() {
    double percent = number("util_pct");
    if (percent > Utilization.FULL.percent()) {
      throw new UnusableRunException("util_pct " + percent + " is above 100");
    }
    return Utilization.ofPercent(percent);
  }

  @Nullable MemorySize peakMemory() {
    return text("peak_mem_mib").isEmpty()
        ? null
        : MemorySize.ofBytesRoundedUp(number("peak_mem_mib") * BYTES_PER_MIB);
  }

  private double number(String column) {
    String cell = text(column);
    if (!cell.matches("[0-9]{1,9}(\\.[0-9]{1,9})?")) {
      throw new UnusableRunException(column + " '" + cell + "' is not a number of at least 0");
    }
    return Double.parseDouble(cell);
  }

  private String text(String column) {
    return cells.get(COLUMNS.indexOf(column));
  }
}
