package dev.cotenant.datasets.colocation;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.domain.colocation.ColocationRows;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Colocations in one table.
 *
 * @param <R> what its rows hold
 */
abstract sealed class ColocationTable<R> implements ColocationFile
    permits GavelPairsSource, GpuLetsSource, IgniterPairsSource, IgniterSoloSource {
  private final Path file;
  private final List<String> columns;

  ColocationTable(Path file, List<String> columns) {
    this.file = file;
    this.columns = columns;
  }

  @Override
  public final List<Path> files() {
    return List.of(file);
  }

  @Override
  public final ColocationRows read() {
    List<R> rows = new ArrayList<>();
    List<String> rejected = new ArrayList<>();
    new DataFile(file).readTable(columns, row -> rows.addAll(rows(row)), rejected);
    return colocations(rows, rejected);
  }

  /**
   * What a row holds.
   *
   * @throws dev.cotenant.datasets.file.UnusableRowException where it cannot be used
   */
  abstract List<R> rows(DataRow row);

  abstract ColocationRows colocations(List<R> rows, List<String> rejected);
}
