package dev.cotenant.admission.fill.plan;

import dev.cotenant.admission.decision.MemoryBounds;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.domain.prediction.EngineMemory;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A bound of memory on every product.
 *
 * @param memory the bound
 * @param mean what is expected
 * @param words evidence for people
 */
record FillBound(MemorySize memory, MemorySize mean, String words) {
  /**
   * The largest of all products, and what the pod states where that is more. For a server with a
   * written memory limit: the memory for one sequence, empty if its bound is assumed.
   */
  static Optional<FillBound> of(FillSubject subject, MemoryBounds bounds) {
    Prediction worst = bounds.worst().orElseThrow();
    return (subject.isLimitedByUs() ? least(worst) : Optional.of(taken(worst)))
        .map(bound -> bound.atLeast(subject.pod().workload().gpuMemory()));
  }

  /** What a server needs for one sequence of the longest length; empty where that is assumed. */
  static Optional<FillBound> needed(MemoryBounds bounds) {
    Prediction worst = bounds.worst().orElseThrow();
    EngineMemory engine = worst.engine();
    return engine == null || engine.least() == null ? Optional.empty() : least(worst);
  }

  private static FillBound taken(Prediction worst) {
    MemoryEstimate peak = worst.peakMemory();
    String words = "predicted at most " + peak.upper() + " in " + peak.coverage() + " of cases";
    return new FillBound(peak.upper(), peak.mean(), words + " on " + worst.device());
  }

  private static Optional<FillBound> least(Prediction worst) {
    EngineMemory engine = worst.engine();
    EngineMemory.Least least = engine == null ? null : engine.least();
    if (least == null) {
      return Optional.of(taken(worst));
    }
    String words = "predicted to need at most " + least.upper() + " in " + least.coverage();
    return least.coverage() == null
        ? Optional.empty()
        : Optional.of(
            new FillBound(
                least.upper(),
                least.mean(),
                words + " of cases on " + worst.device() + " for one sequence"));
  }

  private FillBound atLeast(@Nullable MemorySize own) {
    return own == null || own.isAtMost(memory)
        ? this
        : new FillBound(
            own, mean, CotenantAnnotations.GPU_MEMORY + " states " + own + ", " + words);
  }
}
