package dev.cotenant.predictor;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.model.LevelQuantiles;
import dev.cotenant.predictor.model.Novelty;
import dev.cotenant.predictor.model.Provenance;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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

  /** Where the calibration rows do not suffice for the requested level. */
  static Optional<String> ofLevel(
      Coverage level, UtilizationEstimate utilization, MemoryEstimate memory) {
    if (isReached(level, utilization.coverage()) && isReached(level, memory.coverage())) {
      return Optional.empty();
    }
    return Optional.of(
        "Bounds at a level of "
            + level
            + " need "
            + LevelQuantiles.rowsFor(level)
            + " calibration rows and are unavailable: the stated coverage is that of the rows.");
  }

  private static boolean isReached(Coverage level, @Nullable Coverage coverage) {
    return coverage == null || coverage.compareTo(level) >= 0;
  }
}
