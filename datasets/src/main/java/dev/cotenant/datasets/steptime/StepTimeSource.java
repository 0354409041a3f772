package dev.cotenant.datasets.steptime;

import dev.cotenant.domain.profile.StepTimeRun;
import java.util.List;

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
  }
}
