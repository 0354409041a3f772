package dev.cotenant.predictor.hybrid.prior;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.predictor.train.ResidualBoosting;
import java.util.List;

/**
 * What corrections of the prior look at. All are logarithms, so that distances are ratios.
 *
 * <p>The order is part of the file format, and covariates are only ever appended: a model goes on
 * looking at as many of the first as it learned from.
 */
public final class Covariates {
  public static final List<String> NAMES =
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
          "prior",
          "largest convolution over activations",
          "bytes of the largest convolution",
          "bytes of the largest convolution a sample",
          "saved bytes",
          "saved bytes a sample",
          "saved over activations",
          "arithmetic time over traffic time",
          "parameters a layer",
          "activation bytes a sample and layer",
          "multiply-accumulates a sample and layer",
          "saved bytes a sample and layer");

  /** What is looked at where few runs were measured, and of memory. */
  public static final int FIRST = ResidualBoosting.FEW_COVARIATES;

  /**
   * What landmarks look at at most: how near runs are to each other. More than how convolutions
   * differ would tell layouts apart that are alike.
   */
  public static final int PLACED = 22;

  /** Least time that differs from none, in seconds. */
  private static final double INSTANT = 1e-9;

  /** Least amount that differs from none, in bytes. */
  private static final double LITTLE = 1024;

  private Covariates() {}

  public static int count() {
    return NAMES.size();
  }

  /**
   * Vector of a run in the order of {@link #NAMES}; all values finite.
   *
   * @param prior the prior's answer in the target's log space
   */
  public static float[] of(Run run, double prior) {
    ModelFeatures model = run.model();
    StepCost cost = run.cost();
    Device device = run.device();
    LayerCounts layers = model.layers();
    double batch = model.batchSize();
    double products = batch * Math.max(1, layers.convolution() + layers.linear());
    double activations = model.activations().bytes();
    double saved = model.backward().saved().bytes();
    double convolution = model.backward().convolution().bytes();
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
      Math.log(device.peak().teraflops(Precision.FP32)),
      Math.log(device.bandwidthGigabytesPerSecond()),
      prior,
      Math.log1p(convolution / (activations + 1)),
      Math.log1p(model.backward().convolution().toMiB()),
      Math.log1p(convolution / batch),
      Math.log1p(model.backward().saved().toMiB()),
      Math.log1p(saved / batch),
      Math.log((saved + LITTLE) / (activations + LITTLE)),
      time(cost.arithmeticSeconds()) - time(cost.trafficSeconds()),
      Math.log1p(batch * model.parameters() / products),
      Math.log1p(activations / products),
      Math.log1p(model.multiplyAccumulates() / products),
      Math.log1p(saved / products)
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
