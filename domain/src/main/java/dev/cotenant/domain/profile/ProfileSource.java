package dev.cotenant.domain.profile;

import java.util.List;

/** Port: reads measured runs from outside. */
public interface ProfileSource {
  /**
   * What was read.
   *
   * @param rows what could be used
   * @param rejected for each row that could not be used a line that says why
   * @param sha256 of what was read
   * @param file its name, without the folder
   */
  record Result(List<ProfileRow> rows, List<String> rejected, String sha256, String file) {
    public Result {
      rows = List.copyOf(rows);
      rejected = List.copyOf(rejected);
    }
  }

  /**
   * Reads everything.
   *
   * @throws dev.cotenant.domain.InputException when the file is missing or not of the format,
   *     naming file and line
   */
  Result read();
}
