package dev.cotenant.predictor.cache;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.RunSettings;

/**
 * Key of a measured configuration: graph features at its batch, mode and precision, and the device.
 * A name counts for nothing, nor does what only the operators of the graph show: rows that were
 * stored before it was read lack it. The load is no part of it: a measured utilization of training
 * includes the waits for input.
 */
record Configuration(ModelFeatures features, RunSettings settings, DeviceId device) {
  Configuration {
    features = features.ofLayers();
    settings = settings.withLoad(Load.UNSTATED);
  }
}
