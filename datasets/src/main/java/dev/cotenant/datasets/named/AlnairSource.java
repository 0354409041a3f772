package dev.cotenant.datasets.named;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.ProfileTable;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.Framework;
import dev.cotenant.domain.workload.Precision;
import java.nio.file.Path;
import java.util.List;

/**
 * Reads alnair's runs with TensorFlow on Colab's P100: {@code Dataset.csv}, or the folder that
 * holds it. {@code MGUP} is the largest utilization seen. Memory is left out: TensorFlow takes it
 * in steps and keeps it.
 */
public final class AlnairSource extends NamedTableSource {
  public static final String FORMAT = "alnair";

  private static final List<String> COLUMNS = List.of("Model", "BS", "MGUP");
  private static final DeviceId DEVICE = new DeviceId("p100-16gb");

  /**
   * @param path the table or its folder
   */
  public AlnairSource(Path path) {
    super(new ProfileTable(DataFile.in(path, "Dataset.csv"), COLUMNS));
  }

  @Override
  ProfileRow profile(DataRow row) {
    NamedRuns.Run run =
        new NamedRuns.Run(
                FORMAT + ":" + row.line(),
                row.batch("BS"),
                Precision.FP32,
                DEVICE,
                Licence.APACHE_2)
            .with(Framework.TENSORFLOW);
    Utilization most = Utilization.ofPercent(row.percent("MGUP"));
    return runs.profile(
        AlnairNames.of(row.text("Model")), run, Measurement.NONE.withMaximumUtilization(most));
  }
}
