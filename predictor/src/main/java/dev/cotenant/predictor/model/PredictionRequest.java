package dev.cotenant.predictor.model;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.workload.RunSettings;

/**
 * A run to predict.
 *
 * @param model its graph, at its batch
 * @param settings mode and precision
 * @param device where it runs, alone
 * @param host what is known of the device's host
 */
public record PredictionRequest(
    ModelFeatures model, RunSettings settings, Device device, Host host) {}
