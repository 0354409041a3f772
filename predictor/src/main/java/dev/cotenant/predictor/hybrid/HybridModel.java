package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.predictor.model.BoundCoverage;
import dev.cotenant.predictor.model.Host;
import dev.cotenant.predictor.model.PredictionRequest;
import dev.cotenant.predictor.model.Provenance;
import dev.cotenant.predictor.model.ResidualQuantiles;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.model.TrainingRanges;

/** The hybrid models of both targets, as one file holds them. Immutable, thread safe. */
public final class HybridModel {
  private final HybridTarget utilization;
  private final HybridTarget memory;
  private final TrainingRanges ranges;
  private final MemorySize contextMemory;
  private final Provenance provenance;

  /** What is common to both targets. */
  record Origin(TrainingRanges ranges, MemorySize contextMemory, Provenance provenance) {}

  HybridModel(HybridTarget utilization, HybridTarget memory, Origin origin) {
    this.utilization = utilization;
    this.memory = memory;
    ranges = origin.ranges();
    contextMemory = origin.contextMemory();
    provenance = origin.provenance();
    if (!ranges.devices().equals(provenance.devices())) {
      throw new IllegalArgumentException(
          "its ranges are of " + ranges.devices() + ", its rows of " + provenance.devices());
    }
  }

  /**
   * An estimate in the target's logarithm: log1p of percent, or log of MiB.
   *
   * @param mean the estimate
   * @param offsets what the truth may be below and above it
   * @param familiarity 1 among measured runs, 0 far from all
   */
  public record Estimate(double mean, ResidualQuantiles offsets, double familiarity) {
    public double lower() {
      return mean + offsets.lower();
    }

    public double upper() {
      return mean + offsets.upper();
    }
  }

  /** Estimates a run alone on a device. */
  public Estimate estimate(Target target, PredictionRequest request) {
    HybridTarget hybrid = target(target);
    Run run = Run.of(request);
    HybridRegression.Answer answer = hybrid.regression().answer(run);
    Host host = request.host().among(ranges.devices(), request.device().id());
    Estimate needed =
        new Estimate(
            answer.log(), hybrid.bounds().offsets(run, answer, host), answer.familiarity());
    return GrowingPool.reserved(hybrid.regression().prior(), run, needed);
  }

  HybridTarget target(Target target) {
    return switch (target) {
      case UTILIZATION -> utilization;
      case PEAK_MEMORY -> memory;
    };
  }

  /** How often the bounds of a target hold. */
  public BoundCoverage coverage(Target target) {
    return target(target).coverage();
  }

  /** Where the training rows lie. */
  public TrainingRanges ranges() {
    return ranges;
  }

  /** What a run needs however small its model is: driver context, libraries. */
  public MemorySize contextMemory() {
    return contextMemory;
  }

  public Provenance provenance() {
    return provenance;
  }
}
