package dev.cotenant.forecast.evaluate;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a simple rule (window maximum and 80th percentile times a table by plateau length) reached
 * on the same set, measured once outside this project; with windows of 30 and 60 samples.
 */
final class References {
  private static final Map<String, Double> FIGURES =
      Map.of(
          "pod-out peak-bound mae_mib", 1264.0,
          "pod-out peak-bound coverage", 0.95,
          "pod-out peak-bound headroom_mib", 3894.0,
          "pod-out peak-bound restart_coverage", 0.90,
          "pod-out peak-bound/W=60 mae_mib", 1259.0,
          "pod-out peak-bound/W=60 coverage", 0.955,
          "pod-out peak-bound/W=60 headroom_mib", 4248.0,
          "pod-out peak-bound/W=60 restart_coverage", 0.87);

  private References() {}

  static @Nullable Double find(String protocol, String model, String metric) {
    return FIGURES.get(protocol + " " + model + " " + metric);
  }
}
