package dev.cotenant.datasets.steptime;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.domain.profile.StepTimeRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** A set of measured step times. */
@FunctionalInterface
public interface StepTimeSource {
  /**
   * Reads all rows.
   *
   * @throws dev.cotenant.domain.InputException when the set is missing, unreadable or no such set
   */
  Result read();

  /**
   * What was read.
   *
   * @param format the set's format
   * @param rejected a line for each row that is not used: file, line and reason
   */
  record Result(String format, List<StepTimeRun> runs, List<String> rejected) {
    public Result {
      runs = List.copyOf(runs);
      rejected = List.copyOf(rejected);
    }

    /** Of a CSV file with a run in each row. */
    public static Result ofTable(
        String format, Path path, List<String> columns, Function<DataRow, StepTimeRun> run) {
      List<StepTimeRun> runs = new ArrayList<>();
      List<String> rejected = new ArrayList<>();
      new DataFile(path).readTable(columns, row -> runs.add(run.apply(row)), rejected);
      return new Result(format, runs, rejected);
    }
  }
}
