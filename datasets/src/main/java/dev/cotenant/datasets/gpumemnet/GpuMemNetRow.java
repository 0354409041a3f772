package dev.cotenant.datasets.gpumemnet;

import dev.cotenant.datasets.gpumemnet.GpuMemNetHeader.Column;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileRow.Quality;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import org.apache.commons.csv.CSVRecord;

/** One line of the table. */
final class GpuMemNetRow {
  static final String FORMAT = "gpumemnet";
  private static final DeviceId DEVICE = new DeviceId("a100-40gb");
  private static final int BYTES_PER_ELEMENT = 4;

  /** More than any device has, in MiB; what is above is not a measurement. */
  private static final long MAX_PEAK_MIB = 1L << 24;

  /** Says what is wrong with a cell. */
  static final class BadCellException extends Exception {
    private static final long serialVersionUID = 1L;

    BadCellException(String message) {
      super(message);
    }

    @Override
    public String getMessage() {
      return String.valueOf(super.getMessage());
    }
  }

  private final GpuMemNetHeader header;
  private final CSVRecord cells;

  GpuMemNetRow(GpuMemNetHeader header, CSVRecord cells) {
    this.header = header;
    this.cells = cells;
  }

  ProfileRow toProfile(long line) throws BadCellException {
    String source = text(Column.SOURCE);
    return new ProfileRow(
        FORMAT + ":" + line,
        family(source),
        source + "/" + text(Column.TOPOLOGY),
        features(),
        RunSettings.DEFAULT,
        DEVICE,
        measurement(),
        Licence.NONE_STATED,
        integer(Column.SUSPECTED_CRASH, 0, 1) == 1 ? Quality.SUSPECTED_CRASH : Quality.CLEAN);
  }

  private Measurement measurement() throws BadCellException {
    return Measurement.NONE
        .withUtilization(Utilization.ofPercent(utilization()))
        .withPeakMemory(MemorySize.ofMiB(integer(Column.PEAK_MEMORY_MIB, 1, MAX_PEAK_MIB)));
  }

  private static String family(String source) throws BadCellException {
    return switch (source) {
      case "mlp1", "mlp2" -> "mlp";
      case "cnn" -> "cnn";
      default -> throw new BadCellException("source '" + source + "' is not mlp1, mlp2 or cnn");
    };
  }

  private ModelFeatures features() throws BadCellException {
    int batch = count(Column.BATCH_SIZE, 1);
    long parameters = integer(Column.PARAMETERS, 0, Long.MAX_VALUE / BYTES_PER_ELEMENT);
    return new ModelFeatures(
        layers(),
        count(Column.BATCHNORM_LAYERS, 0),
        parameters,
        MemorySize.ofBytes(parameters * BYTES_PER_ELEMENT),
        perBatch(Column.MACS_PER_SAMPLE, batch),
        bytes(Column.ACTIVATION_ELEMENTS, batch),
        bytes(Column.INPUT_ELEMENTS, batch),
        batch);
  }

  private MemorySize bytes(Column elements, int batch) throws BadCellException {
    return MemorySize.ofBytes(perBatch(elements, batch * (long) BYTES_PER_ELEMENT));
  }

  private LayerCounts layers() throws BadCellException {
    int other =
        count(Column.BATCHNORM_LAYERS, 0)
            + count(Column.DROPOUT_LAYERS, 0)
            + count(Column.OTHER_LAYERS, 0);
    return new LayerCounts(
        count(Column.CONVOLUTION_LAYERS, 0),
        count(Column.LINEAR_LAYERS, 0),
        count(Column.ACTIVATION_LAYERS, 0),
        other);
  }

  private long perBatch(Column column, long factor) throws BadCellException {
    return integer(column, 0, Long.MAX_VALUE / factor) * factor;
  }

  private int count(Column column, int least) throws BadCellException {
    return (int) integer(column, least, 1 << 24);
  }

  private double utilization() throws BadCellException {
    String cell = text(Column.GPU_UTILIZATION_PERCENT);
    try {
      double percent = Double.parseDouble(cell);
      if (percent >= 0 && percent <= 100) {
        return percent;
      }
    } catch (NumberFormatException e) {
      throw bad(Column.GPU_UTILIZATION_PERCENT, cell, "a number from 0 to 100");
    }
    throw bad(Column.GPU_UTILIZATION_PERCENT, cell, "a number from 0 to 100");
  }

  private long integer(Column column, long least, long most) throws BadCellException {
    String cell = text(column);
    String range = "a whole number from " + least + " to " + most;
    try {
      long value = Long.parseLong(cell);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw bad(column, cell, range);
    }
    throw bad(column, cell, range);
  }

  private static BadCellException bad(Column column, String cell, String expected) {
    return new BadCellException(column + " '" + cell + "' is not " + expected);
  }

  private String text(Column column) throws BadCellException {
    int position = header.position(column);
    if (position >= cells.size()) {
      throw new BadCellException("the row ends before column " + column);
    }
    String cell = cells.get(position).strip();
    if (cell.isEmpty()) {
      throw new BadCellException(column + " is empty");
    }
    return cell;
  }
}
