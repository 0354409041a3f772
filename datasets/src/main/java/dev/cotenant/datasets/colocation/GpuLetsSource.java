package dev.cotenant.datasets.colocation;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.colocation.UtilizationCell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads a table of gpu-lets: {@code UTIL.CSV} of one GPU, or the folder that holds it. */
public final class GpuLetsSource implements ColocationFile {
  private static final List<String> COLUMNS =
      List.of("bench", "batch", "l2_util(%)", "mem_util(%)");

  private final Path file;

  public GpuLetsSource(Path path) {
    file = Files.isDirectory(path) ? path.resolve("UTIL.CSV") : path;
  }

  @Override
  public List<Path> files() {
    return List.of(file);
  }

  @Override
  public ColocationRows read() {
    List<UtilizationCell> cells = new ArrayList<>();
    List<String> rejected = new ArrayList<>();
    new DataFile(file).readTable(COLUMNS, row -> cells.add(cell(row)), rejected);
    return new ColocationRows(List.of(), List.of(), List.of(), cells, rejected);
  }

  private UtilizationCell cell(DataRow row) {
    Path folder = file.toAbsolutePath().getParent();
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
