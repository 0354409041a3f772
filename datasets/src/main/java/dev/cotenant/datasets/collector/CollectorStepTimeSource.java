package dev.cotenant.datasets.collector;

import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.datasets.steptime.NamedDevices;
import dev.cotenant.datasets.steptime.StepTimeSource;
import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.profile.StepTimeRun;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * Reads the median step times of a folder that {@code datasets/collector/collect.py solo} has
 * written: eager PyTorch alone on a whole device, inputs in pinned memory. Rows that {@link
 * CollectorSource} refuses are refused here too.
 *
 * @param directory the folder that the collector wrote
 */
public record CollectorStepTimeSource(Path directory) implements StepTimeSource {
  @Override
  public Result read() {
    CollectedGraphs graphs = new CollectedGraphs(directory);
    CollectedSessions sessions = new CollectedSessions(directory);
    return Result.ofTable(
        CollectorSource.FORMAT,
        directory.resolve(CollectorSource.TABLE),
        Stream.concat(CollectedRun.COLUMNS.stream(), Stream.of(CollectedRun.STEP_TIME)).toList(),
        row -> run(new CollectedRun(row, sessions), graphs));
  }

  private static StepTimeRun run(CollectedRun run, CollectedGraphs graphs) {
    run.requireComparable();
    Duration step = run.stepTime();
    if (step == null || !step.isPositive()) {
      throw new UnusableRowException("no step time was measured");
    }
    StepWork work = StepWork.of(graphs.features(run.graph(), run.batch()));
    DataRow cells = run.cells();
    return new StepTimeRun(
        cells.place(),
        new StepTimeRun.Network(run.model(), run.family(), 0),
        CollectorSource.FORMAT,
        DevicePart.whole(NamedDevices.require("device", run.device().value())),
        1,
        run.settings(),
        work,
        1e-9 * step.toNanos());
  }
}
