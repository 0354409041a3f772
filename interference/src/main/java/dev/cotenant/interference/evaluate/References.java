package dev.cotenant.interference.evaluate;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Figures of papers and of simple reference models, measured once outside this project. */
final class References {
  private static final Map<String, Double> FIGURES =
      Map.ofEntries(
          Map.entry("solo-16 igniter-published mape", 2.65),
          Map.entry("solo-16 igniter-log-fit mape", 2.13),
          Map.entry("solo-16 solo-surface mape", 1.21),
          Map.entry("no-pairs igniter-published mape", 3.66),
          Map.entry("no-pairs no-interference mape", 8.69),
          Map.entry("calibrated-24 calibrated mape", 2.57),
          Map.entry("model-out calibrated mape", 3.4),
          Map.entry("model-out-6pairs calibrated mape", 2.89),
          Map.entry("model-out-9pairs calibrated mape", 2.68),
          Map.entry("random-70-30 gpu-lets mape", 2.83),
          Map.entry("random-70-30 gpu-lets p90_ape", 10.26),
          Map.entry("random-70-30 gpu-lets p95_ape", 13.98),
          Map.entry("check gpu-lets factor", 1.1408),
          Map.entry("lucid-model-out constant mae", 0.098),
          Map.entry("lucid-model-out-own constant mae", 0.101),
          Map.entry("lucid-model-out summed-utilization mae", 0.075),
          Map.entry("lucid-model-out-own summed-utilization mae", 0.077),
          Map.entry("lucid-model-out training-pairs mae", 0.067),
          Map.entry("lucid-model-out-own training-pairs mae", 0.074),
          Map.entry("lucid-random-5fold training-pairs mae", 0.0445));

  private References() {}

  static @Nullable Double find(String protocol, String model, String metric) {
    return FIGURES.get(protocol + " " + model + " " + metric);
  }
}
