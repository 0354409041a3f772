package dev.cotenant.lab.pairs;

import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * A job that comes as a pod.
 *
 * @param name unique in the set
 * @param utilization measured alone; null where it was not
 * @param memory measured alone; null where it was not
 * @param predicted what the shipped predictor says of its graph; null where there is no graph
 * @param corrected what is predicted once the cluster has learned of its own runs; empty where
 *     nothing was measured alone, and but for {@link PriorRuns#REGISTERED} where there is no graph
 */
record ReplayedJob(
    String name,
    @Nullable Utilization utilization,
    @Nullable MemorySize memory,
    @Nullable Prediction predicted,
    Map<PriorRuns, Prediction> corrected) {
  ReplayedJob {
    corrected = Map.copyOf(corrected);
  }

  /** Utilization as measured, else as predicted; empty where neither is known. */
  OptionalDouble expectedUtilizationPercent() {
    Utilization measured = utilization;
    Prediction prediction = predicted;
    if (measured != null) {
      return OptionalDouble.of(measured.percent());
    }
    return prediction == null
        ? OptionalDouble.empty()
        : OptionalDouble.of(prediction.utilization().mean().percent());
  }

  /** Memory as measured, else as expected: the request of an owner who knows the need exactly. */
  MemorySize expectedMemory() {
    MemorySize measured = memory;
    if (measured != null) {
      return measured;
    }
    Prediction prediction = predicted;
    if (prediction != null) {
      return prediction.peakMemory().mean();
    }
    throw new IllegalStateException("no memory is known of " + name);
  }
}
