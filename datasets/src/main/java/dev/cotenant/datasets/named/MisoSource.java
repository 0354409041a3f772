package dev.cotenant.datasets.named;

import dev.cotenant.datasets.file.DataFile;
import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.ProfileTable;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.profile.Licence;
import dev.cotenant.domain.profile.Measurement;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.Framework;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.zoo.layers.InputShape;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Reads MISO's training runs: {@code runs.csv}, or the folder that holds it. Utilization is
 * nvidia-smi's mean while training, memory what TensorFlow's growing pool had reserved. The
 * repository states no licence.
 */
public final class MisoSource extends NamedTableSource {
  public static final String FORMAT = "miso";

  private static final List<String> COLUMNS =
      List.of(
          "model",
          "description",
          "batch_size",
          "device",
          "framework",
          "mode",
          "utilization_percent",
          "peak_memory_mib");

  /** By the scripts that ran (boringlee24/socc22-miso, {@code workloads/}). */
  private static final Map<String, NamedModel> NAMES =
      Map.of(
          "resnet", NamedModel.trained("resnet50", "resnet", NamedModel.CIFAR),
          "mobilenet", NamedModel.trained("mobilenet_v2", "mobilenet", NamedModel.CIFAR),
          "bert", NamedModel.trained("bert_base", "bert", new InputShape.Tokens(512)));

  /**
   * @param path the table or its folder
   */
  public MisoSource(Path path) {
    super(new ProfileTable(DataFile.in(path, "runs.csv"), COLUMNS));
  }

  @Override
  ProfileRow profile(DataRow row) {
    row.oneOf("mode", List.of("training"));
    DeviceId device = new DeviceId(row.text("device"));
    if (DeviceCatalogue.builtIn().find(device.value()).isEmpty()) {
      throw new UnusableRowException("unknown device '" + device.value() + "'");
    }
    NamedRuns.Run run =
        new NamedRuns.Run(
                FORMAT + ":" + row.line(),
                row.batch("batch_size"),
                Precision.FP32,
                device,
                Licence.NONE_STATED)
            .with(Framework.parse(row.text("framework")));
    String model = row.text("model");
    return runs.profile(
        NAMES.getOrDefault(model, NamedModel.unknown(model)),
        run,
        Measurement.NONE
            .withUtilization(Utilization.ofPercent(row.percent("utilization_percent")))
            .withPeakMemory(row.mebibytes("peak_memory_mib", 1)));
  }
}
