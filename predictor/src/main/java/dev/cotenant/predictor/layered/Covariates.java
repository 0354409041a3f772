package dev.cotenant.predictor.layered;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import java.util.List;

/**
 * What corrections of the prior look at. All are logarithms, so that distances are ratios.
 *
 * <p>The order is part of the file format: a change needs a new schema of {@link LayeredFile}.
 */
final class Covariates {
  static final List<String> NAMES =
      List.of(
          "time at peak rates",
          "arithmetic time",
          "traffic time",
          "model size",
          "activation bytes",
          "input bytes",
          "input bytes a sample",
          "batch size",
          "kernels",
          "time a kernel",
          "multiply-accumulates a sample",
          "convolution layers",
          "linear layers",
          "activation layers",
          "normalizations",
          "further layers",
          "peak rate",
          "bandwidth",
          "prior");

  /** Least time that is told from none, in seconds. */
  private static final double INSTANT = 1e-9;

  private Covariates() {}

  static int count() {
    return NAMES.size();
  }

  /**
   * The vector of a run, in the order of {@link #NAMES}; all values finite.
   *
   * @param prior the prior's answer in the target's log space
   */
  static float[] of(Run run, double prior) {
    ModelFeatures model = run.model();
    StepCost cost = run.cost();
    Device device = run.device();
    LayerCounts layers = model.layers();
    double batch = model.batchSize();
    double[] values = {
      time(cost.deviceSeconds()),
      time(cost.arithmeticSeconds()),
      time(cost.trafficSeconds()),
      Math.log1p(model.modelSize().toMiB()),
      Math.log1p(model.activations().toMiB()),
      Math.log1p(model.inputs().bytes() / 1024.0),
      Math.log1p(model.inputs().bytes() / batch),
      Math.log(batch),
      Math.log1p(cost.kernels()),
      time(cost.deviceSeconds() / cost.kernels()),
      Math.log1p(model.multiplyAccumulates() / batch),
      Math.log1p(layers.convolution()),
      Math.log1p(layers.linear()),
      Math.log1p(layers.activation()),
      Math.log1p(model.normalizations()),
      Math.log1p(layers.other() - model.normalizations()),
      Math.log(device.peak().fp32Teraflops()),
      Math.log(device.bandwidthGigabytesPerSecond()),
      prior
    };
    float[] vector = new float[values.length];
    for (int i = 0; i < vector.length; i++) {
      vector[i] = (float) values[i];
    }
    return vector;
  }

  private static double time(double seconds) {
    return Math.log(INSTANT + seconds);
  }
}
