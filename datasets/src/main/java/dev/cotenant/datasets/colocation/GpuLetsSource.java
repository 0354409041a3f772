package dev.cotenant.datasets.colocation;

import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.colocation.UtilizationCell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads a table of gpu-lets: {@code UTIL.CSV} of one GPU, or the folder that holds it. */
public final class GpuLetsSource extends ColocationTable<UtilizationCell> {
  private static final List<String> COLUMNS =
      List.of("bench", "batch", "l2_util(%)", "mem_util(%)");

  public GpuLetsSource(Path path) {
    super(
        table(path),
        COLUMNS,
        row -> List.of(cell(row, table(path))),
        (rows, rejected) -> new ColocationRows(List.of(), List.of(), List.of(), rows, rejected));
  }

  private static Path table(Path path) {
    return Files.isDirectory(path) ? path.resolve("UTIL.CSV") : path;
  }

  private static UtilizationCell cell(DataRow row, Path table) {
    Path folder = table.toAbsolutePath().getParent();
    Path name = folder == null ? null : folder.getFileName();
    return new UtilizationCell(
        "glet/" + row.place(),
        name == null ? "" : name.toString(),
        row.text("bench"),
        row.batch("batch"),
        row.number("l2_util(%)", 0, 100),
        row.number("mem_util(%)", 0, 100));
  }
}
