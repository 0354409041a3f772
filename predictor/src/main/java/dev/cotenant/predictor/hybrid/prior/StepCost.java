package dev.cotenant.predictor.hybrid.prior;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.steptime.StepTimeFormula;

/**
 * What one training step or one inference batch costs at the device's peak rates, as the features
 * tell.
 *
 * <p>Training runs every layer forward and twice backward (gradients of inputs and of weights); its
 * optimizer then reads and writes weights, gradients and two moments: {@value #OPTIMIZER_BYTES}
 * bytes a parameter with Adam. Each pass moves every activation and every weight once.
 *
 * @param arithmeticSeconds floating-point operations over the peak rate of the precision
 * @param trafficSeconds bytes of activations and weights over the memory bandwidth
 * @param optimizerSeconds bytes that the optimizer moves over the bandwidth; 0 in inference
 * @param kernels kernels that eager execution launches
 * @param batch samples
 * @param inputBytes bytes copied to the device
 */
public record StepCost(
    double arithmeticSeconds,
    double trafficSeconds,
    double optimizerSeconds,
    double kernels,
    double batch,
    double inputBytes) {
  private static final double OPTIMIZER_BYTES = 28;
  private static final double TRAINING_PASSES = 3;
  private static final StepTimeFormula EAGER = StepTimeFormula.typical();

  public static StepCost of(ModelFeatures model, RunSettings settings, Device device) {
    boolean trains = settings.mode() == ExecutionMode.TRAINING;
    double passes = trains ? TRAINING_PASSES : 1;
    double operationsPerSecond = device.peak().teraflops(settings.precision()) * 1e12;
    double bytesPerSecond = device.bandwidthGigabytesPerSecond() * 1e9;
    double moved = (double) model.activations().bytes() + model.modelSize().bytes();
    return new StepCost(
        passes * model.flops() / operationsPerSecond,
        passes * moved / bytesPerSecond,
        trains ? OPTIMIZER_BYTES * model.parameters() / bytesPerSecond : 0,
        trains ? trainingKernels(model) : inferenceKernels(model),
        model.batchSize(),
        model.inputs().bytes());
  }

  /**
   * The cost by the step-time formula: device time of every operator at the rates that it reaches,
   * and three operators for each of the forward pass in training.
   */
  public static StepCost eager(ModelFeatures model, RunSettings settings, Device device) {
    StepWork work = StepWork.of(model);
    double passes = settings.mode() == ExecutionMode.TRAINING ? TRAINING_PASSES : 1;
    return new StepCost(
        EAGER.of(work, settings, DevicePart.whole(device)).gpuSeconds(),
        0,
        0,
        passes * work.operators(),
        model.batchSize(),
        model.inputs().bytes());
  }

  private static double inferenceKernels(ModelFeatures model) {
    LayerCounts layers = model.layers();
    return 1.0 + layers.convolution() + layers.linear() + layers.activation() + layers.other();
  }

  /** Three a matrix layer or normalisation, two a pointwise one, and three of the loss. */
  private static double trainingKernels(ModelFeatures model) {
    double threefold =
        (double) model.layers().convolution() + model.layers().linear() + model.normalizations();
    double twofold =
        (double) model.layers().activation() + model.layers().other() - model.normalizations();
    return 3 * threefold + 2 * twofold + 3;
  }

  /** Seconds at peak rates. */
  public double deviceSeconds() {
    return arithmeticSeconds + trafficSeconds + optimizerSeconds;
  }
}
