package dev.cotenant.predictor.remember;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.workload.RunSettings;

/**
 * What has to be the same for a run to be a repetition: all that is read from the graph at its
 * batch, mode and precision, and the device. A name counts for nothing.
 */
record Configuration(ModelFeatures features, RunSettings settings, DeviceId device) {}
