package dev.cotenant.datasets.named;

import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.ProfileTable;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;

/** A table whose every row is a run of a model that it names. */
abstract class NamedTableSource implements ProfileSource {
  private final ProfileTable table;

  /** Makes profiles of such runs. */
  final NamedRuns runs = new NamedRuns();

  NamedTableSource(ProfileTable table) {
    this.table = table;
  }

  @Override
  public final Result read() {
    return table.read(this::profile);
  }

  /**
   * What a row says.
   *
   * @throws dev.cotenant.datasets.file.UnusableRowException where it cannot be used
   */
  abstract ProfileRow profile(DataRow row);
}
