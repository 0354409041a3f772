package dev.cotenant.datasets.gpumemnet;

import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.BackwardMemory;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileRow.Quality;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One line of the table.
 *
 * @param cells the line
 */
record GpuMemNetRow(DataRow cells) {
  static final String FORMAT = "gpumemnet";

  private static final String SOURCE = "source";
  private static final String TOPOLOGY = "topology";
  private static final String CONVOLUTIONS = "convolution_layers";
  private static final String LINEARS = "linear_layers";
  private static final String ACTIVATIONS = "activation_layers";
  private static final String NORMS = "batchnorm_layers";
  private static final String DROPOUTS = "dropout_layers";
  private static final String OTHERS = "other_layers";
  private static final String PARAMETERS = "parameters";
  private static final String INPUTS = "input_elements";
  private static final String MACS = "macs_per_sample";
  private static final String ACTIVATION_ELEMENTS = "activation_elements";
  private static final String BATCH = "batch_size";
  private static final String SUSPECTED_CRASH = "suspected_crash";
  private static final String UTILIZATION = "gpu_utilization_percent";
  private static final String PEAK_MIB = "peak_memory_mib";

  /** Shares from 0 to 1; a table may lack them. */
  private static final String SM_ACTIVE = "sm_active";

  private static final String SM_OCCUPANCY = "sm_occupancy";

  /** Columns that show which tensors are saved; a table may lack them. */
  private static final String CONFIGURATION = "configuration";

  private static final String LAYERS = "layers";

  /** Required columns. */
  static final List<String> COLUMNS =
      List.of(
          SOURCE,
          TOPOLOGY,
          CONVOLUTIONS,
          LINEARS,
          ACTIVATIONS,
          NORMS,
          DROPOUTS,
          OTHERS,
          PARAMETERS,
          INPUTS,
          MACS,
          ACTIVATION_ELEMENTS,
          BATCH,
          SUSPECTED_CRASH,
          UTILIZATION,
          PEAK_MIB);

  private static final DeviceId DEVICE = new DeviceId("a100-40gb");
  private static final int BYTES_PER_ELEMENT = 4;

  /** Above the memory of any device, in MiB; larger values are not measurements. */
  private static final long MAX_PEAK_MIB = 1L << 24;

  private static final int MAX_COUNT = 1 << 24;

  ProfileRow toProfile() {
    String source = cells.text(SOURCE);
    return new ProfileRow(
        FORMAT + ":" + cells.line(),
        family(source),
        source + "/" + cells.text(TOPOLOGY),
        features(),
        RunSettings.DEFAULT,
        DEVICE,
        measurement(),
        Licence.CC_BY_4,
        cells.integer(SUSPECTED_CRASH, 0, 1) == 1 ? Quality.SUSPECTED_CRASH : Quality.CLEAN);
  }

  private Measurement measurement() {
    return Measurement.NONE
        .withUtilization(Utilization.ofPercent(cells.percent(UTILIZATION)))
        .withSmActivity(share(SM_ACTIVE))
        .withSmOccupancy(share(SM_OCCUPANCY))
        .withPeakMemory(MemorySize.ofMiB(cells.integer(PEAK_MIB, 1, MAX_PEAK_MIB)));
  }

  private @Nullable Utilization share(String column) {
    return cells.has(column) ? Utilization.ofPercent(100 * cells.number(column, 0, 1)) : null;
  }

  private String family(String source) {
    return switch (source) {
      case "mlp1", "mlp2" -> "mlp";
      case "cnn" -> "cnn";
      default -> throw cells.bad(SOURCE, "mlp1, mlp2 or cnn");
    };
  }

  private ModelFeatures features() {
    int batch = count(BATCH, 1);
    long parameters = cells.integer(PARAMETERS, 0, Long.MAX_VALUE / BYTES_PER_ELEMENT);
    ModelFeatures counted = counted(batch, parameters);
    return cells.has(LAYERS) && cells.has(CONFIGURATION) ? counted.with(saved(batch)) : counted;
  }

  private BackwardMemory saved(int batch) {
    long inputs = cells.integer(INPUTS, 0, Integer.MAX_VALUE);
    try {
      return SavedTensors.of(cells.text(CONFIGURATION), cells.text(LAYERS), inputs, batch);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw cells.bad(LAYERS, "a list of [kind, outputs, parameters, multiply-accumulates]");
    }
  }

  private ModelFeatures counted(int batch, long parameters) {
    return new ModelFeatures(
        layers(),
        count(NORMS, 0),
        parameters,
        MemorySize.ofBytes(parameters * BYTES_PER_ELEMENT),
        perBatch(MACS, batch),
        bytes(ACTIVATION_ELEMENTS, batch),
        bytes(INPUTS, batch),
        batch);
  }

  private MemorySize bytes(String elements, int batch) {
    return MemorySize.ofBytes(perBatch(elements, batch * (long) BYTES_PER_ELEMENT));
  }

  private LayerCounts layers() {
    return new LayerCounts(
        count(CONVOLUTIONS, 0),
        count(LINEARS, 0),
        count(ACTIVATIONS, 0),
        count(NORMS, 0) + count(DROPOUTS, 0) + count(OTHERS, 0));
  }

  private long perBatch(String column, long factor) {
    return cells.integer(column, 0, Long.MAX_VALUE / factor) * factor;
  }

  private int count(String column, int least) {
    return (int) cells.integer(column, least, MAX_COUNT);
  }
}
