package dev.cotenant.datasets.named;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a table of well-known models: a CSV of who measured what on which GPU, without graphs.
 *
 * <p>A row becomes a profile when its source may be used for the purpose and its name says which
 * network at which input ran, so that the zoo can supply the graph. Which utilization it holds is
 * kept apart: nvidia-smi's mean (Lucid, SPREAD), its maximum (alnair), Nsight's share of SMs at
 * work (gpu-lets). Every other row is listed with file, line and reason. Alnair's memory is left
 * out: TensorFlow's pool, not what was needed.
 */
public final class NamedModelsSource implements ProfileSource {
  private static final String FORMAT = "named-models";

  private final DataFile file;
  private final LicenceScope scope;
  private final NamedRuns runs = new NamedRuns();

  /**
   * @param file the table
   * @param scope what the rows are wanted for
   */
  public NamedModelsSource(Path file, LicenceScope scope) {
    this.file = new DataFile(file);
    this.scope = scope;
  }

  @Override
  public String format() {
    return FORMAT;
  }

  @Override
  public Result read() {
    List<ProfileRow> rows = new ArrayList<>();
    List<String> rejected = new ArrayList<>();
    String sha256 = file.readTable(NamedRun.COLUMNS, row -> rows.add(profile(row)), rejected);
    return new Result(rows, rejected, sha256);
  }

  private ProfileRow profile(DataRow row) {
    NamedRun run = new NamedRun(row);
    scope.require(run.source(), run.licence());
    return runs.profile(run.model(), run.run(FORMAT), run.measurement());
  }
}
