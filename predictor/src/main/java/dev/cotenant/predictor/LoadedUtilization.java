package dev.cotenant.predictor;

import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.Serving;
import dev.cotenant.domain.prediction.StepTimeEstimate;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.predictor.steptime.StepTime;
import dev.cotenant.predictor.steptime.StepTimePredictor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Utilization under the stated load: of inference rate × busy time of a request [iGniter, TPDS
 * 2023; InSS], of training the share of time that input leaves.
 */
final class LoadedUtilization {
  /**
   * Device time of a kernel beside its arithmetic and traffic: the median over inference in TF32
   * [this project's runs on an H200, datasets/measurements].
   */
  private static final double KERNEL_SECONDS = 5e-6;

  /** The same of a time step of a recurrent layer. */
  private static final double TIME_STEP_SECONDS = 1e-5;

  /** The shortest time that differs from none. */
  private static final double MIN_SECONDS = 1e-9;

  private LoadedUtilization() {}

  /** The time of a step in which kernels run, with the relative bounds of the step's time. */
  static StepTimeEstimate busyTime(ModelFeatures model, StepTimePredictor.Predicted step) {
    StepTime parts = step.parts();
    StepTimeEstimate whole = step.estimate();
    double kernels =
        KERNEL_SECONDS * model.eager().operators() + TIME_STEP_SECONDS * model.eager().timeSteps();
    double busy = Math.clamp(parts.gpuSeconds() + kernels, MIN_SECONDS, whole.meanSeconds());
    return whole.scaledTo(busy);
  }

  /** A prediction of back-to-back steps under the load of its settings. */
  static Prediction of(Prediction unloaded) {
    return switch (unloaded.settings().load()) {
      case Load.Unstated _ -> unloaded.serving().map(s -> saturated(unloaded, s)).orElse(unloaded);
      case Load.RequestRate(double rate, _) ->
          unloaded.serving().map(s -> served(unloaded, s, rate)).orElse(unloaded);
      case Load.InputWait(double share) -> waiting(unloaded, share);
      case Load.UtilizationLimit(Utilization highest) ->
          limited(unloaded, percent -> Math.min(percent, highest.percent()));
    };
  }

  private static Prediction saturated(Prediction unloaded, Serving serving) {
    return unloaded
        .withUtilization(serving.atCapacity())
        .withWarnings(
            with(
                unloaded,
                "No request rate is stated: utilization is that at the capacity of the device."));
  }

  private static Prediction served(Prediction unloaded, Serving serving, double rate) {
    Prediction served = unloaded.withUtilization(serving.at(rate));
    return rate > serving.capacity().lowerPerSecond()
        ? served.withWarnings(with(unloaded, serving.comparison(rate) + "."))
        : served;
  }

  private static List<String> with(Prediction prediction, String warning) {
    List<String> warnings = new ArrayList<>(prediction.warnings());
    warnings.add(warning);
    return warnings;
  }

  private static Prediction waiting(Prediction unloaded, double share) {
    Prediction waiting = limited(unloaded, percent -> percent * (1 - share));
    StepTimeEstimate step = waiting.stepTime();
    return step == null
        ? waiting
        : waiting.withStepTime(step.scaledTo(step.meanSeconds() / (1 - share)));
  }

  private static Prediction limited(Prediction unloaded, ToDoubleFunction<Double> percent) {
    UtilizationEstimate free = unloaded.utilization();
    return unloaded.withUtilization(
        new UtilizationEstimate(
            Utilization.ofPercent(percent.applyAsDouble(free.mean().percent())),
            Utilization.ofPercent(percent.applyAsDouble(free.lower().percent())),
            Utilization.ofPercent(percent.applyAsDouble(free.upper().percent())),
            free.coverage(),
            free.group()));
  }
}
