package dev.cotenant.engine.profile;

import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;

/** What no run of a graph can measure. */
public final class Plausibility {
  /** A CUDA context takes 100 to 500 MiB, by driver and product. */
  private static final MemorySize MIN_CONTEXT = MemorySize.ofMiB(100);

  private Plausibility() {}

  /** Memory that every run of a row's graph holds: weights in its precision, and a context. */
  public static MemorySize leastMemory(ProfileRow row) {
    ModelFeatures features = row.features();
    long inPrecision = row.settings().precision().weightBytes() * features.parameters();
    long weights = Math.min(features.modelSize().bytes(), inPrecision);
    return MemorySize.ofBytes(weights).plus(MIN_CONTEXT);
  }

  /** Whether a row's peak memory, if any, is plausible for its graph. */
  public static boolean isPlausible(ProfileRow row) {
    MemorySize peak = row.peakMemory();
    return peak == null || leastMemory(row).isAtMost(peak);
  }
}
