package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.prediction.CalibrationGroup;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.predictor.hybrid.prior.MemoryPrior;
import dev.cotenant.predictor.hybrid.prior.Prior;
import dev.cotenant.predictor.hybrid.prior.Run;
import dev.cotenant.predictor.model.MemoryParts;
import dev.cotenant.predictor.model.PredictionRequest;
import dev.cotenant.predictor.model.Provenance;
import dev.cotenant.predictor.model.ResidualQuantiles;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.model.TrainingRanges;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The hybrid models of both targets, as one file holds them. Immutable, thread safe. */
public final class HybridModel {
  private final HybridTarget utilization;
  private final HybridTarget memory;
  private final TrainingRanges ranges;
  private final MemorySize contextMemory;
  private final Provenance provenance;

  /** Properties that both targets share. */
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
   * @param bounds offsets of the truth below and above the estimate
   * @param familiarity 1 among measured runs, 0 far from all
   */
  public record Estimate(double mean, HybridBounds.Offsets bounds, double familiarity) {
    /** Distances of both bounds from the estimate. */
    public ResidualQuantiles offsets() {
      return bounds.quantiles();
    }

    /** Requested level, or the highest that the calibration rows support. */
    public Coverage coverage() {
      return bounds.coverage();
    }

    /** Group whose errors decided. */
    public CalibrationGroup group() {
      return bounds.group();
    }

    public double lower() {
      return mean + offsets().lower();
    }

    public double upper() {
      return mean + offsets().upper();
    }
  }

  /** Estimates a run alone on a device. */
  public Estimate estimate(Target target, PredictionRequest request) {
    HybridTarget hybrid = target(target);
    Run run = Run.of(request);
    HybridRegression.Answer answer = hybrid.regression().answer(run);
    Prior prior = hybrid.regression().prior();
    Estimate needed =
        new Estimate(
            Math.max(answer.log(), prior.least(run)),
            hybrid.bounds().offsets(run, answer, request.host(), request.level()),
            answer.familiarity());
    return BfcArena.reserved(prior, run, needed);
  }

  /** Summands of the peak-memory formula; empty for a model with a different formula. */
  public Optional<MemoryParts> memoryParts(PredictionRequest request) {
    return memory.regression().prior() instanceof MemoryPrior prior
        ? Optional.of(prior.parts(Run.of(request)))
        : Optional.empty();
  }

  HybridTarget target(Target target) {
    return switch (target) {
      case UTILIZATION -> utilization;
      case PEAK_MEMORY -> memory;
    };
  }

  /** Rows of each group whose errors bound a target, by the group's name. */
  public SortedMap<String, Integer> groups(Target target) {
    SortedMap<String, Integer> rows = new TreeMap<>();
    target(target)
        .bounds()
        .familiar()
        .tables()
        .forEach((name, table) -> rows.put(name, table.rows()));
    return rows;
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
