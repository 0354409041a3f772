package dev.cotenant.datasets.named;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.ProfileTable;
import dev.cotenant.domain.profile.ProfileRow;
import java.nio.file.Path;

/**
 * Reads a table of well-known models: a CSV of who measured what on which GPU, without graphs.
 *
 * <p>A row becomes a profile when its source may be used for the purpose and its name says which
 * network at which input ran, so that the zoo can supply the graph. Which utilization it holds is
 * kept apart: nvidia-smi's mean (Lucid, SPREAD), its maximum (alnair), Nsight's share of SMs at
 * work (gpu-lets). Every other row is listed with file, line and reason. Alnair's memory is left
 * out: TensorFlow's pool, not what was needed.
 */
public final class NamedModelsSource extends NamedTableSource {
  private static final String FORMAT = "named-models";

  private final LicenceScope scope;

  /**
   * @param file the table
   * @param scope intended use of the rows
   */
  public NamedModelsSource(Path file, LicenceScope scope) {
    super(new ProfileTable(new DataFile(file), NamedRun.COLUMNS));
    this.scope = scope;
  }

  @Override
  ProfileRow profile(DataRow row) {
    NamedRun run = new NamedRun(row);
    scope.require(run.source(), run.licence());
    return runs.profile(run.model(), run.run(FORMAT), run.measurement());
  }
}
