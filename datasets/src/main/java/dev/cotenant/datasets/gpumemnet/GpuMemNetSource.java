package dev.cotenant.datasets.gpumemnet;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.ProfileTable;
import dev.cotenant.domain.profile.ProfileSource;
import java.nio.file.Path;

/**
 * Reads the run table of GPUMemNet, plain or gzipped, row by row.
 *
 * <p>The set holds training runs in fp32 on an A100 with 40 GB: DCGM utilization, SM activity and
 * occupancy, averaged from start to end, so that short runs read low, and peak memory. Networks are
 * random; {@code source} names the generator (two of perceptrons, one of convolutional networks)
 * and {@code topology} its layout. Rows marked {@code suspected_crash} died early by the look of
 * their inputs and carry that mark.
 */
public final class GpuMemNetSource implements ProfileSource {
  private final ProfileTable table;

  /**
   * @param file the table, CSV or gzipped CSV
   */
  public GpuMemNetSource(Path file) {
    table = new ProfileTable(new DataFile(file), GpuMemNetRow.COLUMNS);
  }

  @Override
  public Result read() {
    return table.read(row -> new GpuMemNetRow(row).toProfile());
  }
}
