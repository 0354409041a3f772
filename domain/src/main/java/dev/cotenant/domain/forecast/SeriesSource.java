package dev.cotenant.domain.forecast;

import java.util.List;

/** Port: reads recorded used-memory series from outside. */
public interface SeriesSource {
  /** A read set: its series, and a line for each unusable row. */
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
