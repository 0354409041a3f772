package dev.cotenant.predictor.layered;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.workload.RunSettings;

/** A run that somebody asks about, and where it is to be. */
public record Asked(ModelFeatures model, RunSettings settings, Device device, Host host) {
  Run run() {
    return Run.of(model, settings, device);
  }
}
