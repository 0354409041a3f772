package dev.cotenant.datasets.named;

import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.Framework;
import dev.cotenant.domain.workload.Precision;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cells of one row of the table, read but not yet judged.
 *
 * @param cells the row
 */
record NamedRun(DataRow cells) {
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

  static final String ALNAIR = "alnair";
  static final String GLET = "glet";
  static final String LUCID = "Lucid";
  static final String SPREAD = "SPREAD";

  private static final int MAX_BATCH = 999_999_999;

  /** Lucid's table names no device; its paper says RTX 3090. Alnair ran on Colab's P100. */
  private static final Map<String, DeviceId> DEVICES =
      Map.of(
          "RTX2080Ti", new DeviceId("rtx-2080ti"),
          "RTX 2080ti", new DeviceId("rtx-2080ti"),
          "RTX 3080", new DeviceId("rtx-3080"),
          "RTX3090", new DeviceId("rtx-3090"),
          "(paper: RTX3090)", new DeviceId("rtx-3090"),
          "P100 (Colab)", new DeviceId("p100-16gb"));

  /**
   * Lucid: S-Lab License 1.0; alnair: its repository is under Apache-2.0; the others state none.
   */
  private static final Map<String, Licence> LICENCES =
      Map.of(
          LUCID, Licence.S_LAB_1,
          ALNAIR, Licence.APACHE_2,
          SPREAD, Licence.NONE_STATED,
          GLET, Licence.NONE_STATED);

  String source() {
    return cells.text("source");
  }

  /** The terms of the row's source. */
  Licence licence() {
    return LICENCES.getOrDefault(source(), Licence.UNKNOWN);
  }

  /** Meaning of the row's model name in its source. */
  NamedModel model() {
    String model = cells.text("model");
    return switch (source()) {
      case LUCID -> LucidNames.of(model, cells.textOrEmpty("dataset"));
      case SPREAD -> SpreadNames.of(model);
      case ALNAIR -> AlnairNames.of(model);
      case GLET -> GletNames.of(model);
      default -> NamedModel.unknown(model);
    };
  }

  NamedRuns.Run run(String format) {
    requireFullRow();
    cells.oneOf("mode", List.of("train", "inference"));
    return new NamedRuns.Run(
            format + "/" + source() + ":" + cells.line(), batch(), precision(), device(), licence())
        .with(framework());
  }

  private Framework framework() {
    return switch (source()) {
      case ALNAIR -> Framework.TENSORFLOW;
      case LUCID -> Framework.PYTORCH_1;
      default -> Framework.PYTORCH;
    };
  }

  private void requireFullRow() {
    if (cells.size() != COLUMNS.size()) {
      throw new UnusableRowException(
          "the row has " + cells.size() + " cells, not " + COLUMNS.size());
    }
  }

  /** Assigns the utilization to the field of its definition; unknown definitions are refused. */
  Measurement measurement() {
    Utilization utilization = Utilization.ofPercent(cells.percent("util_pct"));
    Measurement memory = Measurement.NONE.withPeakMemory(peakMemory());
    String definition = cells.text("util_definition");
    if (definition.equals("nvidia-smi gpu_util mean")
        || definition.startsWith("nvml gpu util, steady mean")) {
      return memory.withUtilization(utilization);
    }
    if (definition.startsWith("max GPU util")) {
      return memory.withMaximumUtilization(utilization);
    }
    if (definition.startsWith("Nsight SM util")) {
      return memory.withSmActivity(utilization);
    }
    throw new UnusableRowException(
        "utilization is '" + definition + "', which is none of those that are read");
  }

  private DeviceId device() {
    DeviceId device = DEVICES.get(cells.text("gpu"));
    if (device == null) {
      throw new UnusableRowException("unknown gpu '" + cells.text("gpu") + "'");
    }
    return device;
  }

  /** Automatic mixed precision computes in fp16 where it matters; TensorFlow's default is fp32. */
  private Precision precision() {
    return switch (cells.textOrEmpty("precision")) {
      case "fp32" -> Precision.FP32;
      case "amp" -> Precision.AMP;
      case "" -> {
        if (source().equals(ALNAIR)) {
          yield Precision.FP32;
        }
        throw new UnusableRowException("precision is empty");
      }
      default -> throw cells.bad("precision", "fp32 or amp");
    };
  }

  private int batch() {
    return (int) cells.integer("batch", 1, MAX_BATCH);
  }

  private @Nullable MemorySize peakMemory() {
    return cells.has("peak_mem_mib") ? cells.mebibytes("peak_mem_mib", 0) : null;
  }
}
