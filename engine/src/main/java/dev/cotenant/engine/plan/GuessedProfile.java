package dev.cotenant.engine.plan;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.prediction.StepTimeEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.domain.quantity.Percent;
import dev.cotenant.domain.workload.Framework;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.interference.cold.ColdStart;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.interference.profile.WorkloadProfile.ActiveTime;
import dev.cotenant.predictor.steptime.StepTimeBounds;
import dev.cotenant.predictor.steptime.StepTimePredictor;

/**
 * iGniter's coefficients of a workload that was never profiled, on one device: times of a batch
 * from the step-time formula, the rest from the graph and the predicted utilization.
 *
 * @param profile the coefficients
 * @param bound how far the time of a batch may exceed them, with its coverage
 */
record GuessedProfile(WorkloadProfile profile, StepTimeEstimate bound) {
  // k_act = (k2 · b + k3) / share + k5 with k2 and k3 from the formula at batches 1 and 32; k5 is
  // what launches cost a serving engine.
  private static final int LARGE_BATCH = 32;
  private static final StepTimePredictor STEPS = StepTimePredictor.builtIn();

  static GuessedProfile of(
      String name, GraphFeatures graph, Device device, RunSettings settings, double utilization) {
    WorkloadProfile cold =
        ColdStart.profile(name, GraphWork.of(graph.model()), device, utilization);
    StepWork work = StepWork.of(graph.model());
    RunSettings served = settings.withFramework(Framework.TENSORRT);
    StepTimePredictor.Predicted one = predicted(work.atBatch(1), served, device);
    StepTimePredictor.Predicted many = predicted(work.atBatch(LARGE_BATCH), served, device);
    double scale = Percent.WHOLE * Milliseconds.PER_SECOND;
    double sample = (many.parts().gpuSeconds() - one.parts().gpuSeconds()) / (LARGE_BATCH - 1);
    double start = Math.max(0, one.parts().gpuSeconds() - sample);
    ActiveTime times = new ActiveTime(0, scale * sample, scale * start, 0, cold.activeTime().k5());
    return new GuessedProfile(cold.with(times), many.estimate());
  }

  private static StepTimePredictor.Predicted predicted(
      StepWork work, RunSettings settings, Device device) {
    return STEPS
        .predict(work, settings, DevicePart.whole(device))
        .at(StepTimeBounds.OPERATORS, Coverage.STANDARD);
  }

  /** Upper bound over expected time. */
  double factor() {
    return bound.upperSeconds() / bound.meanSeconds();
  }
}
