package dev.cotenant.datasets.named;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.ProfileTable;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.Precision;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Reads SPREAD's training runs on an RTX 2080 Ti: {@code runs_summary.csv}, or the folder that
 * holds it.
 *
 * <p>A profile is of one job with the whole device, so runs of several workers and runs under a cap
 * of MPS are listed as rejected. The date stands in the row's source: the same configuration was
 * measured differently months apart.
 */
public final class SpreadSource extends NamedTableSource {
  public static final String FORMAT = "spread";

  static final String FILE = "runs_summary.csv";
  static final String MODEL = "model";
  static final String BATCH = "batch";
  static final String SHARE = "mps_pct";
  static final String STEP = "median_iter_ms";
  private static final String WORLD = "world_size";
  private static final String WORKERS = "workers";
  private static final String UTILIZATION = "util_mean_steady";
  private static final String MAX_UTILIZATION = "util_max";
  private static final String MEMORY = "mem_peak_mib";
  private static final String TIME = "timestamp";
  static final List<String> COLUMNS =
      List.of(
          MODEL, BATCH, SHARE, STEP, WORLD, WORKERS, UTILIZATION, MAX_UTILIZATION, MEMORY, TIME);

  private static final DeviceId DEVICE = new DeviceId("rtx-2080ti");
  private static final double NANOSECONDS_PER_MILLISECOND = 1e6;

  /**
   * @param path the table or its folder
   */
  public SpreadSource(Path path) {
    super(new ProfileTable(DataFile.in(path, FILE), COLUMNS));
  }

  /** Refuses runs of several workers, whose utilization is of the pair. */
  static void requireAlone(DataRow row) {
    long workers = row.integer(WORLD, 1, 64);
    if (workers != 1) {
      throw new UnusableRowException(workers + " workers ran together");
    }
    if (row.integer(WORKERS, 0, 64) != workers) {
      throw new UnusableRowException("world_size and workers differ");
    }
  }

  @Override
  ProfileRow profile(DataRow row) {
    requireAlone(row);
    double share = row.percent(SHARE);
    if (share < 100) {
      throw new UnusableRowException("MPS capped it at " + Math.round(share) + " %");
    }
    String date = row.text(TIME);
    NamedRuns.Run run =
        new NamedRuns.Run(
            FORMAT + "/" + date.substring(0, Math.min(10, date.length())) + ":" + row.line(),
            row.batch(BATCH),
            Precision.FP32,
            DEVICE,
            Licence.NONE_STATED);
    return runs.profile(SpreadNames.of(row.text(MODEL)), run, measurement(row));
  }

  private static Measurement measurement(DataRow row) {
    double nanoseconds = row.positive(STEP) * NANOSECONDS_PER_MILLISECOND;
    return Measurement.NONE
        .withUtilization(Utilization.ofPercent(row.percent(UTILIZATION)))
        .withMaximumUtilization(Utilization.ofPercent(row.percent(MAX_UTILIZATION)))
        .withPeakMemory(row.mebibytes(MEMORY, 0))
        .withStepTime(Duration.ofNanos(Math.max(1, Math.round(nanoseconds))));
  }
}
