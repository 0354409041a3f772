package dev.cotenant.datasets.named;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Precision;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads CARMA's training jobs on an A100 with 40 GB: {@code summary.csv}, or the folder that holds
 * it. Only peak memory was measured, as nvidia-smi reports it, context included; the column says MB
 * and holds MiB. The batch stands in the name of the run's folder.
 */
public final class CarmaSource implements ProfileSource {
  public static final String FORMAT = "carma";

  private static final String MODEL = "Model";
  private static final String MEMORY = "Max memory.used [MB]";
  private static final String FOLDER = "Run folder";
  private static final List<String> COLUMNS = List.of(MODEL, MEMORY, FOLDER);
  private static final Pattern BATCH = Pattern.compile("_--batch_size_([0-9]{1,6})(_|$)");
  private static final DeviceId DEVICE = new DeviceId("a100-40gb");
  private static final double MAX_MIB = 1 << 24;
  private static final double BYTES_PER_MIB = 1 << 20;

  private final DataFile file;
  private final NamedRuns runs = new NamedRuns();

  /**
   * @param path the table or its folder
   */
  public CarmaSource(Path path) {
    file = DataFile.in(path, "summary.csv");
  }

  @Override
  public String format() {
    return FORMAT;
  }

  @Override
  public Result read() {
    List<ProfileRow> rows = new ArrayList<>();
    List<String> rejected = new ArrayList<>();
    String sha256 = file.readTable(COLUMNS, row -> rows.add(profile(row)), rejected);
    return new Result(rows, rejected, sha256);
  }

  private ProfileRow profile(DataRow row) {
    CarmaNames.Job job = CarmaNames.of(row.text(MODEL));
    Matcher given = BATCH.matcher(row.text(FOLDER));
    int batch = given.find() ? Integer.parseInt(given.group(1)) : job.batch();
    NamedRuns.Run run =
        new NamedRuns.Run(
            FORMAT + ":" + row.line(), batch, Precision.FP32, DEVICE, Licence.APACHE_2);
    MemorySize peak = MemorySize.ofBytesRoundedUp(row.number(MEMORY, 1, MAX_MIB) * BYTES_PER_MIB);
    return runs.profile(job.model(), run, Measurement.NONE.withPeakMemory(peak));
  }
}
