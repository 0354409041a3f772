package dev.cotenant.datasets.steptime;

import dev.cotenant.datasets.file.DataRow;
import dev.cotenant.datasets.file.UnusableRowException;
import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import java.nio.file.Path;
import java.util.List;

/**
 * Reads ParvaGPU's profile: inference in MIG instances beside MPS copies of itself, TF32 matrix
 * products, images of 224×224 and sequences of 128. {@code throughput} is of one copy.
 *
 * @param path the CSV file
 */
public record ParvaGpuSource(Path path) implements StepTimeSource {
  static final String FORMAT = "parvagpu";
  private static final List<String> COLUMNS =
      List.of("model", "gpu", "mig_gpcs", "batch", "mps_processes", "throughput");
  private static final int COMPUTE_SLICES = 7;
  private static final int MAX_COPIES = 48;

  @Override
  public Result read() {
    ZooAmounts amounts = new ZooAmounts();
    return Result.ofTable(FORMAT, path, COLUMNS, row -> run(row, amounts));
  }

  private static StepTimeRun run(DataRow row, ZooAmounts amounts) {
    double throughput = row.number("throughput", 0, 1e9);
    if (throughput == 0) {
      throw new UnusableRowException("throughput is 0: the network did not run");
    }
    String model = row.text("model");
    int batch = row.batch("batch");
    int slices = (int) row.integer("mig_gpcs", 1, COMPUTE_SLICES);
    return new StepTimeRun(
        row.place(),
        new StepTimeRun.Network(model, model.replaceAll("[0-9]+$", ""), ZooAmounts.SIDE),
        FORMAT,
        DevicePart.mig(NamedDevices.require("gpu", row.text("gpu")), slices),
        (int) row.integer("mps_processes", 1, MAX_COPIES),
        RunSettings.of(ExecutionMode.INFERENCE, Precision.TF32),
        amounts.require("model", model, batch),
        batch / throughput);
  }
}
