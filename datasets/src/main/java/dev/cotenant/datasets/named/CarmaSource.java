package dev.cotenant.datasets.named;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.ProfileTable;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Framework;
import dev.cotenant.domain.workload.Precision;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads CARMA's training jobs on an A100 with 40 GB: {@code summary.csv}, or the folder that holds
 * it. Only peak memory was measured, as nvidia-smi reports it, context included; the column says MB
 * and holds MiB. It ran in 2025, on PyTorch 2. The batch stands in the name of the run's folder.
 */
public final class CarmaSource extends NamedTableSource {
  public static final String FORMAT = "carma";

  private static final String MODEL = "Model";
  private static final String MEMORY = "Max memory.used [MB]";
  private static final String FOLDER = "Run folder";
  private static final List<String> COLUMNS = List.of(MODEL, MEMORY, FOLDER);
  private static final Pattern BATCH = Pattern.compile("_--batch_size_([1-9][0-9]{0,5})(_|$)");
  private static final DeviceId DEVICE = new DeviceId("a100-40gb");

  /**
   * @param path the table or its folder
   */
  public CarmaSource(Path path) {
    super(new ProfileTable(DataFile.in(path, "summary.csv"), COLUMNS));
  }

  @Override
  ProfileRow profile(DataRow row) {
    CarmaNames.Job job = CarmaNames.of(row.text(MODEL));
    Matcher given = BATCH.matcher(row.text(FOLDER));
    int batch = given.find() ? Integer.parseInt(given.group(1)) : job.batch();
    NamedRuns.Run run =
        new NamedRuns.Run(
                FORMAT + ":" + row.line(), batch, Precision.FP32, DEVICE, Licence.APACHE_2)
            .with(Framework.PYTORCH_2);
    MemorySize peak = row.mebibytes(MEMORY, 1);
    return runs.profile(job.model(), run, Measurement.NONE.withPeakMemory(peak));
  }
}
