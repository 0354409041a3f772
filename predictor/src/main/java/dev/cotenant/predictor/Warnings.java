package dev.cotenant.predictor;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.model.Novelty;
import dev.cotenant.predictor.model.Provenance;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Says in which respects a question lies outside what the predictor has seen. */
final class Warnings {
  private Warnings() {}

  static List<String> of(Novelty novelty, RunSettings settings, Provenance provenance) {
    List<String> warnings = new ArrayList<>();
    if (novelty.unseenDevice()) {
      warnings.add(
          "The device was not among those of the training runs ("
              + provenance.devices().stream().map(DeviceId::value).collect(Collectors.joining(", "))
              + "): bounds are wider.");
    }
    if (!novelty.outsideFeatures().isEmpty()) {
      warnings.add(
          "Outside the training data"
              + (novelty.unseenDevice() ? "" : " of " + novelty.device())
              + ": "
              + String.join(", ", novelty.outsideFeatures())
              + ": bounds are wider.");
    }
    if (settings.mode() == ExecutionMode.INFERENCE) {
      warnings.add(
          "No inference run was among the training runs: memory is computed from the graph, with"
              + " the bounds of unfamiliar training runs.");
    }
    if (settings.precision() != Precision.FP32) {
      warnings.add(
          "All training runs were fp32: the accuracy for "
              + settings.precision()
              + " has not been measured.");
    }
    return warnings;
  }
}
