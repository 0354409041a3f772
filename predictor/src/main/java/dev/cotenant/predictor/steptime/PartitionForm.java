package dev.cotenant.predictor.steptime;

import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.profile.StepTimeRun;
import java.util.List;

/**
 * Step time of one network over batches and parts of one device, from a few measured cells.
 * Immutable.
 *
 * @param hostSeconds host time of a step, which hides a faster device
 * @param arithmetic device seconds of a sample on all SMs
 * @param arithmeticStart the same whatever the batch
 * @param traffic device seconds of a sample at full bandwidth
 * @param trafficStart the same whatever the batch
 * @param overlap how sharply the longer of host and device hides the other, less 1
 * @param copy seconds of a sample's input copy, on any part
 */
public record PartitionForm(
    double hostSeconds,
    double arithmetic,
    double arithmeticStart,
    double traffic,
    double trafficStart,
    double overlap,
    double copy) {
  // t = ‖ H , (c·b + c0) / SM share + (m·b + m0) / memory share ‖_(1+p) + x·b

  /** What starts a batch is known less from cells than from the graph. */
  private static final double[] PULLS = {0.05, 0.05, 0.12, 0.05, 0.12, 0.05, 0.05};

  private static final double MIN = 1e-9;

  /** Host work of a sample where it copies little, such as tokens. */
  private static final double MIN_COPY = 1e-4;

  private static final double SHARP = 5;

  /** Fits to cells of one network on one device, with what its graph says as the prior. */
  public static PartitionForm of(List<StepTimeRun> cells, StepTimeFormula formula) {
    double[] logs =
        new RobustLogFit(prior(cells.getFirst(), formula), PULLS)
            .fit(at -> {
              PartitionForm form = ofLogs(at);
              return cells.stream()
                  .mapToDouble(cell ->
                      Math.log(form.seconds(cell.part(), cell.work().batch()) / cell.seconds()))
                  .toArray();
            });
    return ofLogs(logs);
  }

  /** What the formula says of a whole device at batches 1 and 2. */
  private static double[] prior(StepTimeRun run, StepTimeFormula formula) {
    DevicePart whole = DevicePart.whole(run.part().device());
    StepWork one = run.work().atBatch(1);
    StepWork two = run.work().atBatch(2);
    var precision = run.settings().precision();
    double arithmetic = formula.arithmeticSeconds(one, precision, whole);
    double perSample = formula.arithmeticSeconds(two, precision, whole) - arithmetic;
    double traffic = formula.trafficSeconds(one, precision, whole);
    double moved = formula.trafficSeconds(two, precision, whole) - traffic;
    StepTime parts = formula.of(one, run.settings(), whole);
    double[] values = {
      parts.launchSeconds(),
      perSample,
      arithmetic - perSample,
      moved,
      traffic - moved,
      SHARP,
      Math.max(MIN_COPY, parts.copySeconds())
    };
    for (int i = 0; i < values.length; i++) {
      values[i] = Math.log(Math.max(MIN, values[i]));
    }
    return values;
  }

  private static PartitionForm ofLogs(double[] logs) {
    return new PartitionForm(
        Math.exp(logs[0]),
        Math.exp(logs[1]),
        Math.exp(logs[2]),
        Math.exp(logs[3]),
        Math.exp(logs[4]),
        Math.exp(logs[5]),
        Math.exp(logs[6]));
  }

  /** Parts of a step's time at a batch. */
  public StepTime parts(DevicePart part, int batch) {
    double gpu =
        (arithmetic * batch + arithmeticStart) / part.smShare()
            + (traffic * batch + trafficStart) / part.memoryShare();
    return new StepTime(gpu, hostSeconds, copy * batch);
  }

  /** Seconds of a step of a batch. */
  public double seconds(DevicePart part, int batch) {
    StepTime parts = parts(part, batch);
    return StepTime.norm(parts.launchSeconds(), parts.gpuSeconds(), 1 + overlap)
        + parts.copySeconds();
  }
}
