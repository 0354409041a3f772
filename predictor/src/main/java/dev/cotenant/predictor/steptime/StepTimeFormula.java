package dev.cotenant.predictor.steptime;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Framework;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;

/**
 * Wall time of a step from amounts and catalogue numbers alone. Immutable.
 *
 * <p>Range: convolutional networks and transformers. Errors are in docs/step-time.md.
 */
public record StepTimeFormula(StepTimeCoefficients coefficients) {
  // step = ‖ launch · K , G ‖_6 + b · input / rate           host or device, then the input copy
  // G    = ‖ T_c , T_m ‖_p                                   phases of a step hardly overlap
  // T_c  = 2 · (MACs + reuse · outputs) · (b + b0) / (peak · SM share · e)
  // T_m  = (κ · s · moved · (b + b0) + s · parameters) / (bandwidth · memory share)
  // b0   = samples that tiles and waves leave unfilled: fewer, the more a sample computes
  // A training step costs a multiple of a batch of inference on the device. Winograd's algorithm
  // computes a 3×3 convolution in fp32 with 1/2.25 of its products.
  private static final double WINOGRAD = 2.25;

  /** Host time of an eager operator [ParvaGPU, batch 1]. */
  private static final double LAUNCH_SECONDS = 28e-6;

  /**
   * A forward operator with automatic differentiation, those of its gradients, and its part of the
   * optimizer's step [this project's runs on an H200, datasets/measurements].
   */
  private static final double TRAINING_LAUNCHES = 5;

  /** A time step of a recurrent layer backwards takes about as long as forwards [the same]. */
  private static final double TRAINING_TIME_STEPS = 2;

  /** Copies from pageable host memory [ParvaGPU]. */
  private static final double HOST_BYTES_PER_SECOND = 6.5e9;

  /** Matrix outputs that a batch pays for tiles and waves that it does not fill [ParvaGPU]. */
  private static final double UNFILLED_OUTPUTS = 1e7;

  private static final double MAX_UNFILLED_SAMPLES = 2;

  /** Without tensor cores operands suffice at an eighth of the reuse: so much lower is the rate. */
  private static final double PLAIN_REUSE = 1.0 / 8;

  /** Boards without a power connector do not sustain their boost clock [NeuSight: T4, P4]. */
  private static final double LOW_POWER_WATTS = 80;

  private static final double LOW_POWER_RATE = 0.65;

  private static final double OPERATIONS_PER_MAC = 2;

  /** With coefficients of typical runs. */
  public static StepTimeFormula typical() {
    return new StepTimeFormula(StepTimeCoefficients.TYPICAL);
  }

  /** Parts of a step's time on a part of a device. */
  public StepTime of(StepWork eager, RunSettings settings, DevicePart part) {
    StepWork work = isCompiled(settings.framework()) ? eager.fused() : eager;
    boolean trains = settings.mode() == ExecutionMode.TRAINING;
    double gpu = deviceSeconds(work, settings.precision(), part);
    double launch = LAUNCH_SECONDS * work.operators();
    double steps = LAUNCH_SECONDS * work.timeSteps();
    double copy = work.batch() * work.inputBytes() / HOST_BYTES_PER_SECOND;
    return trains
        ? new StepTime(
            gpu * coefficients.trainingFactor(),
            launch * TRAINING_LAUNCHES + steps * TRAINING_TIME_STEPS,
            copy)
        : new StepTime(gpu, launch + steps, copy);
  }

  private static boolean isCompiled(Framework framework) {
    return framework == Framework.TENSORRT;
  }

  private double deviceSeconds(StepWork work, Precision precision, DevicePart part) {
    return StepTime.norm(
        arithmeticSeconds(work, precision, part),
        trafficSeconds(work, precision, part),
        coefficients.overlapExponent());
  }

  /** Time of arithmetic in inference. */
  public double arithmeticSeconds(StepWork work, Precision precision, DevicePart part) {
    boolean plain = precision == Precision.FP32;
    double saved = plain ? work.winogradMacs() * (1 - 1 / WINOGRAD) : 0;
    double reuse = coefficients.reuse() * (plain ? PLAIN_REUSE : 1);
    double macs = work.macs() - saved + reuse * work.matrixOutputs();
    double rate =
        teraflops(part.device(), precision)
            * sustained(part.device())
            * 1e12
            * part.smShare()
            * coefficients.computeEfficiency();
    return OPERATIONS_PER_MAC * macs * samples(work) / rate;
  }

  private static double sustained(Device device) {
    return device.boardPowerWatts() < LOW_POWER_WATTS ? LOW_POWER_RATE : 1;
  }

  /** Dense rate of matrix products. */
  public static double teraflops(Device device, Precision precision) {
    return device.peak().matrixTeraflops(precision);
  }

  /** Time of memory traffic in inference. */
  public double trafficSeconds(StepWork work, Precision precision, DevicePart part) {
    double rate = part.device().bandwidthGigabytesPerSecond() * 1e9 * part.memoryShare();
    double elements = coefficients.trafficFactor() * work.moved() * samples(work);
    return (precision.activationBytes() * elements + precision.weightBytes() * work.parameters())
        / rate;
  }

  private static double samples(StepWork work) {
    double unfilled = UNFILLED_OUTPUTS / Math.max(1, work.matrixOutputs());
    return work.batch() + Math.min(MAX_UNFILLED_SAMPLES, unfilled);
  }
}
