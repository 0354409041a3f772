package dev.cotenant.admission.decision;

import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.quantity.MemorySize;

/** How far a GPU is from holding a workload that finds it empty. */
final class Shortfall {
  /** The reason ends when other workloads leave. */
  static final double NONE = 0;

  private Shortfall() {}

  /**
   * What the workload alone needs, as a multiple of the GPU's limit, above 1; {@link #NONE} where
   * it would fit without others, infinite where no amount decides.
   */
  static double of(Reason reason) {
    return switch (reason) {
      case Reason.MemoryForecastExceeded memory -> excess(memory.workloadUpper(), memory.limit());
      case Reason.PredictedMemoryExceeded memory -> excess(memory.predictedMean(), memory.limit());
      case Reason.UtilizationExceeded busy ->
          excess(busy.workloadUpper().percent(), busy.limit().percent());
      case Reason.MigNotShareable _, Reason.ObjectiveMissed _ -> Double.POSITIVE_INFINITY;
      default -> NONE;
    };
  }

  private static double excess(MemorySize needed, MemorySize limit) {
    return excess((double) needed.bytes(), (double) limit.bytes());
  }

  private static double excess(double needed, double limit) {
    return needed > limit ? needed / limit : NONE;
  }
}
