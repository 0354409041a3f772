package dev.cotenant.datasets.colocation;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.domain.colocation.ColocationRows;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Colocations in one table.
 *
 * @param <R> the kind of its rows
 */
abstract sealed class ColocationTable<R> implements ColocationFile
    permits GavelPairsSource, GpuLetsSource, IgniterPairsSource, IgniterSoloSource {
  private final Path file;
  private final List<String> columns;
  private final Function<DataRow, List<R>> reader;
  private final BiFunction<List<R>, List<String>, ColocationRows> colocations;

  /**
   * @param reader of a row; throws {@link dev.cotenant.datasets.file.UnusableRowException}
   * @param colocations of all rows, and of the rejected lines
   */
  ColocationTable(
      Path file,
      List<String> columns,
      Function<DataRow, List<R>> reader,
      BiFunction<List<R>, List<String>, ColocationRows> colocations) {
    this.file = file;
    this.columns = columns;
    this.reader = reader;
    this.colocations = colocations;
  }

  @Override
  public final List<Path> files() {
    return List.of(file);
  }

  @Override
  public final ColocationRows read() {
    List<R> rows = new ArrayList<>();
    List<String> rejected = new ArrayList<>();
    new DataFile(file).readTable(columns, row -> rows.addAll(reader.apply(row)), rejected);
    return colocations.apply(rows, rejected);
  }
}
