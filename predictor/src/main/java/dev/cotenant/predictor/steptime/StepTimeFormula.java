package dev.cotenant.predictor.steptime;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;

/**
 * Wall time of a step from amounts and catalogue numbers alone. Immutable.
 *
 * <p>Range: dense convolutional networks and transformers, eager execution. Errors are in
 * docs/step-time.md.
 */
public record StepTimeFormula(StepTimeCoefficients coefficients) {
  // step = ‖ launch · K , G ‖_6 + b · input / rate           host or device, then the input copy
  // G    = ‖ T_c , T_m ‖_p                                   phases of a step hardly overlap
  // T_c  = 2 · (MACs + reuse · outputs) · (b + b0) / (peak · SM share · e)
  // T_m  = (κ · s · moved · (b + b0) + s · parameters) / (bandwidth · memory share)
  // A training step costs a multiple of a batch of inference on the device, and three passes of
  // launches. Winograd's algorithm computes a 3×3 convolution in fp32 with 1/2.25 of its products.
  private static final double WINOGRAD = 2.25;

  /** A forward operator, and the operators of its gradients, launched from C++. */
  private static final double TRAINING_LAUNCHES = 2.5;

  private static final double OPERATIONS_PER_MAC = 2;

  /** Parts of the time of a step on a part of a device. */
  public StepTime of(StepWork work, RunSettings settings, DevicePart part) {
    boolean trains = settings.mode() == ExecutionMode.TRAINING;
    double gpu = deviceSeconds(work, settings.precision(), part);
    double launch = coefficients.launchMicros() * 1e-6 * work.operators();
    double copy = work.batch() * work.inputBytes() / coefficients.hostBytesPerSecond();
    return trains
        ? new StepTime(gpu * coefficients.trainingFactor(), launch * TRAINING_LAUNCHES, copy)
        : new StepTime(gpu, launch, copy);
  }

  private double deviceSeconds(StepWork work, Precision precision, DevicePart part) {
    double arithmetic = arithmeticSeconds(work, precision, part);
    double traffic = trafficSeconds(work, precision, part);
    return StepTime.norm(arithmetic, traffic, coefficients.overlapExponent());
  }

  double arithmeticSeconds(StepWork work, Precision precision, DevicePart part) {
    double saved = precision == Precision.FP32 ? work.winogradMacs() * (1 - 1 / WINOGRAD) : 0;
    double macs = work.macs() - saved + coefficients.reuse() * work.matrixOutputs();
    double rate =
        part.device().peak().teraflops(precision)
            * 1e12
            * part.smShare()
            * coefficients.computeEfficiency();
    return OPERATIONS_PER_MAC * macs * samples(work) / rate;
  }

  double trafficSeconds(StepWork work, Precision precision, DevicePart part) {
    Device device = part.device();
    double rate = device.bandwidthGigabytesPerSecond() * 1e9 * part.memoryShare();
    double elements = coefficients.trafficFactor() * work.moved() * samples(work);
    return precision.activationBytes() * (elements + work.parameters()) / rate;
  }

  private double samples(StepWork work) {
    return work.batch() + coefficients.unfilledSamples();
  }
}
