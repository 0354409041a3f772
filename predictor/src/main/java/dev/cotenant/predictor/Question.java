package dev.cotenant.predictor;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.forest.Novelty;

/** What a predictor is asked. */
record Question(ModelFeatures features, RunSettings settings, Device device, Novelty novelty) {}
