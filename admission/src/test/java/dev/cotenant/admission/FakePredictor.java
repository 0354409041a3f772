package dev.cotenant.admission;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.EngineMemory;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.ShareCurve;
import dev.cotenant.domain.prediction.StepTimeEstimate;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Numbers that can be worked out by hand: a known model keeps the device busy for its percentage
 * plus a tenth of its batch, half of that in inference, and peaks at 2 GiB plus 64 MiB a sample.
 * Lower and upper bounds are 10 points and 1 GiB away; a V100 is kept 20 points busier. A batch of
 * inference takes 4 to 5 ms, in partitions below 40 % as much longer as they are smaller, and in a
 * MIG instance of 1 or 2 slices four or two times as long. An engine with such a model takes its
 * mean. Beyond a coverage of 90 % the upper bound of memory is a GiB more.
 */
public final class FakePredictor implements WorkloadPredictor {
  private static final Map<String, Double> BUSY_PERCENT =
      Map.of("resnet50", 40.0, "vgg19", 60.0, "densenet121", 35.0, "huge", 45.0);
  private static final Coverage COVERAGE = Coverage.of(0.9);
  private static final StepTimeEstimate STEP =
      new StepTimeEstimate(0.004, 0.003, 0.005, COVERAGE, null);
  private static final ShareCurve SHARES = shares();

  @Override
  public Outcome predict(Workload workload, Set<DeviceId> devices, Coverage level) {
    Double busy = BUSY_PERCENT.get(workload.model());
    if (busy == null) {
      return new Outcome.UnknownModel(workload.model());
    }
    Map<DeviceId, Prediction> byDevice = new HashMap<>();
    devices.forEach(device -> byDevice.put(device, at(level, predict(workload, busy, device))));
    return new Outcome.Predicted(byDevice);
  }

  private static Prediction at(Coverage level, Prediction prediction) {
    if (level.compareTo(COVERAGE) <= 0) {
      return prediction;
    }
    MemoryEstimate peak = prediction.peakMemory();
    return prediction.withPeakMemory(
        new MemoryEstimate(
            peak.mean(), peak.lower(), peak.upper().plus(MemorySize.ofGiB(1)), level));
  }

  private static Prediction predict(Workload workload, double busy, DeviceId device) {
    double mode = workload.settings().mode() == ExecutionMode.TRAINING ? 1 : 0.5;
    double older = device.value().startsWith("v100") ? 20 : 0;
    long extra = workload.model().equals("huge") ? 100 << 10 : 0;
    Prediction alone =
        new Prediction(
            device,
            workload.batchSize(),
            workload.settings(),
            utilization((busy + workload.batchSize() / 10.0) * mode + older),
            memory(MemorySize.ofMiB(2048 + 64L * workload.batchSize() + extra)),
            "fake-1",
            List.of());
    Prediction timed =
        workload.settings().mode() == ExecutionMode.TRAINING
            ? alone
            : alone.withStepTime(STEP).withBusyTime(STEP).withShares(SHARES);
    EngineRun run = workload.engine();
    MemorySize takes = alone.peakMemory().mean();
    return run == null
        ? timed
        : timed.withEngine(new EngineMemory(run.engine(), takes, Map.of(), null, null));
  }

  private static ShareCurve shares() {
    return new ShareCurve(
        IntStream.rangeClosed(1, 10)
            .mapToObj(tenths -> {
              double factor = Math.max(1, 4.0 / tenths);
              return new ShareCurve.Point(Share.ofPercent(10 * tenths), factor, factor);
            })
            .toList(),
        List.of(
            new ShareCurve.Slice(1, 4), new ShareCurve.Slice(2, 2), new ShareCurve.Slice(3, 1)));
  }

  private static UtilizationEstimate utilization(double percent) {
    return new UtilizationEstimate(
        Utilization.ofPercentClipped(percent),
        Utilization.ofPercentClipped(percent - 10),
        Utilization.ofPercentClipped(percent + 10),
        COVERAGE);
  }

  private static MemoryEstimate memory(MemorySize mean) {
    MemorySize margin = MemorySize.ofGiB(1);
    return new MemoryEstimate(mean, mean.minusOrZero(margin), mean.plus(margin), COVERAGE);
  }

  /** A prediction that stands for a tenant of a recorded cluster. */
  public static Prediction of(double utilizationPercent, MemorySize peak, DeviceId device) {
    return new Prediction(
        device,
        1,
        RunSettings.DEFAULT,
        utilization(utilizationPercent),
        memory(peak),
        "fake-1",
        List.of());
  }
}
