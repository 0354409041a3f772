package dev.cotenant.datasets.gpumemnet;

import dev.cotenant.domain.InputException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.apache.commons.csv.CSVRecord;

/** Where each column that is read stands in the table; other columns are ignored. */
final class GpuMemNetHeader {
  /** The columns that are read, by the names they have in the file. */
  enum Column {
    SOURCE,
    TOPOLOGY,
    CONVOLUTION_LAYERS,
    LINEAR_LAYERS,
    ACTIVATION_LAYERS,
    BATCHNORM_LAYERS,
    DROPOUT_LAYERS,
    OTHER_LAYERS,
    PARAMETERS,
    INPUT_ELEMENTS,
    MACS_PER_SAMPLE,
    ACTIVATION_ELEMENTS,
    BATCH_SIZE,
    SUSPECTED_CRASH,
    GPU_UTILIZATION_PERCENT,
    PEAK_MEMORY_MIB;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Map<String, Integer> positions;

  private GpuMemNetHeader(Map<String, Integer> positions) {
    this.positions = positions;
  }

  /**
   * Reads the first record as header.
   *
   * @throws InputException ({@code profile-columns}) naming the columns that are missing
   */
  static GpuMemNetHeader of(Path file, Iterator<CSVRecord> records) {
    Map<String, Integer> positions = new HashMap<>();
    if (records.hasNext()) {
      CSVRecord names = records.next();
      for (int i = 0; i < names.size(); i++) {
        positions.putIfAbsent(names.get(i), i);
      }
    }
    List<String> missing =
        Arrays.stream(Column.values())
            .map(Column::toString)
            .filter(name -> !positions.containsKey(name))
            .toList();
    if (!missing.isEmpty()) {
      throw InputException.malformed(
          "profile-columns",
          file
              + ":1: not a GPUMemNet run table, these columns are missing: "
              + String.join(", ", missing)
              + ".");
    }
    return new GpuMemNetHeader(positions);
  }

  /** The place of a column, from 0. */
  int position(Column column) {
    return Objects.requireNonNull(positions.get(column.toString()));
  }
}
