package dev.cotenant.datasets.collector;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.ProfileTable;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a folder that {@code datasets/collector/collect.py solo} has written: {@code solo.csv} and
 * the graphs that it names.
 *
 * <p>A row becomes a profile when the run ended well in a closed loop and its graph is there with
 * all shapes known. Utilization is the window's mean, weighted with time; peak memory is the
 * device's, context included; step time is the median. Runs that ended otherwise (out of memory, an
 * error) and runs with Poisson arrivals are listed with file, line and reason. The release of
 * PyTorch is that of the session's sheet. Not read: latencies, kernels, quantiles, power, clocks,
 * memory utilization and the allocator's figures; predictors do not learn from them. Groups and
 * memory series are read by {@link CollectorPairsSource} and {@link CollectorSeriesSource}, a
 * planner's profiles by {@code plan}.
 */
public final class CollectorSource implements ProfileSource {
  public static final String FORMAT = "collector";

  /** The table of runs. */
  public static final String TABLE = "solo.csv";

  private final Path directory;
  private final ProfileTable table;

  /**
   * @param directory the folder that the collector wrote
   */
  public CollectorSource(Path directory) {
    this.directory = directory;
    table = new ProfileTable(new DataFile(directory.resolve(TABLE)), CollectedRun.COLUMNS);
  }

  /** The hash is of the table and of every graph that was read. */
  @Override
  public Result read() {
    CollectedGraphs graphs = new CollectedGraphs(directory);
    CollectedSessions sessions = new CollectedSessions(directory);
    Result read = table.read(row -> profile(new CollectedRun(row, sessions), graphs));
    List<Path> files = new ArrayList<>(List.of(table.file().path()));
    files.addAll(graphs.files());
    return new Result(
        read.rows(), read.rejected(), DataFile.sha256(files), new DataFile(directory).name());
  }

  private static ProfileRow profile(CollectedRun run, CollectedGraphs graphs) {
    run.requireComparable();
    return new ProfileRow(
        FORMAT + "/" + run.session() + ":" + run.cells().line(),
        run.family(),
        run.model(),
        graphs.features(run.graph(), run.batch()),
        run.settings(),
        run.device(),
        Measurement.NONE
            .withUtilization(run.utilization())
            .withPeakMemory(run.peakMemory())
            .withStepTime(run.stepTime()),
        Licence.OWN,
        ProfileRow.Quality.CLEAN);
  }
}
