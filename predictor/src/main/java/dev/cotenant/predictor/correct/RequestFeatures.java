package dev.cotenant.predictor.correct;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.RunSettings;

/** A question as numbers for trees; the order is part of the file format. */
final class RequestFeatures {
  static final int COUNT = 15;

  private RequestFeatures() {}

  static float[] encode(
      ModelFeatures features, RunSettings settings, Device device, double baseMean) {
    double[] values = {
      Math.log1p(features.layers().convolution()),
      Math.log1p(features.layers().linear()),
      Math.log1p(features.layers().activation()),
      Math.log1p(features.layers().other()),
      Math.log1p((double) features.parameters()),
      Math.log1p((double) features.modelSize().bytes()),
      Math.log1p((double) features.multiplyAccumulates()),
      Math.log1p((double) features.activations().bytes()),
      Math.log1p((double) features.inputs().bytes()),
      Math.log(features.batchSize()),
      Math.log(device.peak().teraflops(settings.precision())),
      Math.log(device.bandwidthGigabytesPerSecond()),
      Math.log(device.streamingMultiprocessors()),
      settings.mode() == ExecutionMode.TRAINING ? 1 : 0,
      baseMean
    };
    float[] vector = new float[COUNT];
    for (int i = 0; i < COUNT; i++) {
      vector[i] = (float) values[i];
    }
    return vector;
  }
}
