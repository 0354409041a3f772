package dev.cotenant.datasets.file;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A table whose rows are measured runs.
 *
 * @param file where it lies
 * @param columns required columns
 */
public record ProfileTable(DataFile file, List<String> columns) {
  public ProfileTable {
    columns = List.copyOf(columns);
  }

  /**
   * Turns every row into a profile; those that {@code profile} refuses are listed with file, line
   * and reason.
   */
  public ProfileSource.Result read(Function<DataRow, ProfileRow> profile) {
    List<ProfileRow> rows = new ArrayList<>();
    List<String> rejected = new ArrayList<>();
    String sha256 = file.readTable(columns, row -> rows.add(profile.apply(row)), rejected);
    return new ProfileSource.Result(rows, rejected, sha256, file.name());
  }
}
