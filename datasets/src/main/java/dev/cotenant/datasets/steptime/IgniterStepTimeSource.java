package dev.cotenant.datasets.steptime;

import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Framework;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import java.nio.file.Path;
import java.util.List;

/**
 * Reads iGniter's solo latencies: fp32 inference by TensorRT on MPS shares of a V100, images of
 * 224×224.
 *
 * @param path the CSV file
 */
public record IgniterStepTimeSource(Path path) implements StepTimeSource {
  static final String FORMAT = "igniter";
  private static final List<String> COLUMNS = List.of("model", "batch", "mps_pct", "latency_ms");
  private static final Device V100 = DeviceCatalogue.builtIn().require("v100");
  private static final RunSettings SETTINGS =
      RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32).withFramework(Framework.TENSORRT);

  @Override
  public Result read() {
    ZooAmounts amounts = new ZooAmounts();
    return Result.ofTable(FORMAT, path, COLUMNS, row -> run(row, amounts));
  }

  private static StepTimeRun run(DataRow row, ZooAmounts amounts) {
    String model = row.text("model");
    if (model.equals("ssd")) {
      throw new UnusableRowException("model 'ssd': its graph is not published");
    }
    return new StepTimeRun(
        row.place(),
        new StepTimeRun.Network(model, model.replaceAll("[0-9]+$", ""), ZooAmounts.SIDE),
        FORMAT,
        DevicePart.mps(V100, row.number("mps_pct", Double.MIN_NORMAL, 100) / 100),
        1,
        SETTINGS,
        amounts.require("model", model, row.batch("batch")),
        row.positive("latency_ms") / 1e3);
  }
}
