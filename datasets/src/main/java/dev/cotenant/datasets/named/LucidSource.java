package dev.cotenant.datasets.named;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.ProfileTable;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Nanoseconds;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.Framework;
import dev.cotenant.domain.workload.Precision;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Reads Lucid's solo runs: {@code single_data.csv}, or the folder that holds it. Utilization is
 * nvidia-smi's mean, {@code speed} samples a second. The table names no device; the paper says RTX
 * 3090. It ran in 2022, on PyTorch before 1.13. Its licence is non-commercial.
 */
public final class LucidSource extends NamedTableSource {
  public static final String FORMAT = "lucid";

  private static final List<String> COLUMNS =
      List.of("model", "dataset", "batchsize", "amp", "speed", "gpu_util", "gmem");
  private static final DeviceId DEVICE = new DeviceId("rtx-3090");

  private final LicenceScope scope;

  /**
   * @param path the table or its folder
   * @param scope intended use of the rows
   */
  public LucidSource(Path path, LicenceScope scope) {
    super(new ProfileTable(DataFile.in(path, "single_data.csv"), COLUMNS));
    this.scope = scope;
  }

  @Override
  ProfileRow profile(DataRow row) {
    scope.require(NamedRun.LUCID, Licence.S_LAB_1);
    int batch = row.batch("batchsize");
    Precision precision = row.integer("amp", 0, 1) == 1 ? Precision.AMP : Precision.FP32;
    double seconds = batch / row.positive("speed");
    Measurement measurement =
        Measurement.NONE
            .withUtilization(Utilization.ofPercent(row.percent("gpu_util")))
            .withPeakMemory(row.mebibytes("gmem", 0))
            .withStepTime(
                Duration.ofNanos(Math.max(1, Math.round(seconds * Nanoseconds.PER_SECOND))));
    return runs.profile(
        LucidNames.of(row.text("model"), row.text("dataset")),
        new NamedRuns.Run(FORMAT + ":" + row.line(), batch, precision, DEVICE, Licence.S_LAB_1)
            .with(Framework.PYTORCH_1),
        measurement);
  }
}
