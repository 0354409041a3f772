package dev.cotenant.domain.forecast;

import java.util.List;

/** Port: reads recorded used-memory series from outside. */
public interface SeriesSource {
  /** What was read: the series by name, and a line for each row that could not be used. */
  record Result(String format, List<RecordedDevice> devices, List<String> rejected, String sha256) {
    public Result {
      devices = List.copyOf(devices);
      rejected = List.copyOf(rejected);
    }
  }

  /**
   * Reads everything.
   *
   * @throws dev.cotenant.domain.InputException when the file is missing or not of the format
   */
  Result read();
}
