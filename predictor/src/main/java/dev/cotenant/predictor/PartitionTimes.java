package dev.cotenant.predictor;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.prediction.ShareCurve;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.steptime.StepTime;
import dev.cotenant.predictor.steptime.StepTimePredictor;
import java.util.ArrayList;
import java.util.List;

/**
 * Times of a step in parts of a device, relative to the whole, by the step-time formula. In MPS
 * partitions fewer SMs stretch arithmetic, and neither launches, copies nor memory traffic; a MIG
 * instance has its own part of the bandwidth too. Errors are in docs/step-time.md.
 */
final class PartitionTimes {
  private static final Share STEP = Share.ofPercent(10);

  /** The product whose MIG instances were measured [ParvaGPU]. */
  private static final String MEASURED_IN_SLICES = "a100-";

  private static final StepTimePredictor FORMULA = StepTimePredictor.builtIn();

  private PartitionTimes() {}

  static ShareCurve of(ModelFeatures model, RunSettings settings, Device device) {
    StepWork work = StepWork.of(model);
    StepTime whole = FORMULA.predict(work, settings, DevicePart.whole(device)).parts();
    List<ShareCurve.Point> points = new ArrayList<>();
    for (int tenths = 1; tenths < STEP.perGpu(); tenths++) {
      Share share = STEP.times(tenths);
      DevicePart part = DevicePart.mps(device, share.percent() / 100);
      StepTime times = FORMULA.predict(work, settings, part).parts();
      points.add(
          new ShareCurve.Point(
              share,
              factor(times.seconds(), whole.seconds()),
              factor(times.gpuSeconds(), whole.gpuSeconds())));
    }
    points.add(ShareCurve.Point.WHOLE);
    return new ShareCurve(
        points,
        device.id().value().startsWith(MEASURED_IN_SLICES)
            ? slices(work, settings, device, whole)
            : List.of());
  }

  private static List<ShareCurve.Slice> slices(
      StepWork work, RunSettings settings, Device device, StepTime whole) {
    return DevicePart.MIG_SLICES.stream()
        .map(slices -> {
          StepTime times = FORMULA.predict(work, settings, DevicePart.mig(device, slices)).parts();
          return new ShareCurve.Slice(slices, factor(times.seconds(), whole.seconds()));
        })
        .toList();
  }

  private static double factor(double time, double whole) {
    return whole > 0 ? Math.max(1, time / whole) : 1;
  }
}
