package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.learning.trees.TreeLearner;
import dev.cotenant.predictor.hybrid.prior.MemoryPrior;
import dev.cotenant.predictor.hybrid.prior.Prior;
import dev.cotenant.predictor.hybrid.prior.Run;
import dev.cotenant.predictor.hybrid.prior.UtilizationPrior;
import dev.cotenant.predictor.model.Host;
import dev.cotenant.predictor.model.PredictionRequest;
import dev.cotenant.predictor.model.ResidualQuantiles;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.train.ResidualBoosting;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** A hybrid regression of one target, learned from some rows and evaluated on others. Immutable. */
public final class HybridFit {
  private final DeviceCatalogue catalogue;
  private final MeasuredHosts hosts;
  private final HybridRegression regression;
  private final HybridCalibration.@Nullable Calibrated calibrated;
  private final Coverage level;

  private HybridFit(
      DeviceCatalogue catalogue,
      MeasuredHosts hosts,
      HybridRegression regression,
      HybridCalibration.@Nullable Calibrated calibrated,
      Coverage level) {
    this.catalogue = catalogue;
    this.hosts = hosts;
    this.regression = regression;
    this.calibrated = calibrated;
    this.level = level;
  }

  private static HybridFit of(MeasuredRuns runs, Way way) {
    return new HybridFit(
        way.catalogue(),
        MeasuredHosts.of(runs.rows()),
        way.learner().fit(runs.sample()),
        null,
        Coverage.STANDARD);
  }

  /**
   * How a regression is learned in an evaluation.
   *
   * @param trees grows the trees of the corrections
   */
  public record Way(Target target, DeviceCatalogue catalogue, TreeLearner trees, long seed) {
    /** With the trees of the shipped predictor. */
    public Way(Target target, DeviceCatalogue catalogue, long seed) {
      this(target, catalogue, new ResidualBoosting(), seed);
    }

    HybridLearner learner() {
      return new HybridLearner(belief(target), trees, seed);
    }
  }

  static Prior belief(Target target) {
    return switch (target) {
      case UTILIZATION -> UtilizationPrior.TYPICAL;
      case PEAK_MEMORY -> MemoryPrior.TYPICAL;
    };
  }

  /** Estimates only. */
  public static HybridFit of(List<ProfileRow> rows, Way way) {
    return of(MeasuredRuns.of(way.target(), rows, way.catalogue()), way);
  }

  /**
   * Many rows and a few rows of the predicted group.
   *
   * @param few share {@code share} of the weight, at least one
   */
  public record Shots(List<ProfileRow> many, List<ProfileRow> few, double share) {
    private MeasuredRuns runs(Way way) {
      List<ProfileRow> all = new ArrayList<>(many);
      all.addAll(few);
      MeasuredRuns runs = MeasuredRuns.of(way.target(), all, way.catalogue());
      double each = Math.max(1, share / (1 - share) * many.size() / few.size());
      double[] weights = new double[runs.size()];
      for (int i = 0; i < weights.length; i++) {
        weights[i] = i < many.size() ? 1 : each;
      }
      return runs.weighted(weights);
    }
  }

  /** Estimates for a group with a few measured rows. */
  public static HybridFit of(Shots shots, Way way) {
    return of(shots.runs(way), way);
  }

  /** What the prior alone, fitted to these rows, answers. */
  public static ToDoubleFunction<ProfileRow> prior(List<ProfileRow> rows, Way way) {
    MeasuredRuns runs = MeasuredRuns.of(way.target(), rows, way.catalogue());
    ParameterUncertainty prior = way.learner().prior(runs.sample());
    return row -> prior.log(MeasuredRuns.run(row, way.catalogue()));
  }

  /** Estimates and bounds that hold in a share of cases. */
  public static HybridFit calibrated(List<ProfileRow> rows, double coverage, Way way) {
    return calibrated(MeasuredRuns.of(way.target(), rows, way.catalogue()), coverage, way);
  }

  /** As above for a group with a few measured rows. */
  public static HybridFit calibrated(Shots shots, double coverage, Way way) {
    return calibrated(shots.runs(way), coverage, way);
  }

  private static HybridFit calibrated(MeasuredRuns runs, double coverage, Way way) {
    HybridCalibration.Calibrated calibrated =
        new HybridCalibration(way.learner(), way.seed(), () -> {}).fit(runs.sample(), runs.rows());
    return new HybridFit(
        way.catalogue(),
        MeasuredHosts.of(runs.rows()),
        calibrated.regression(),
        calibrated,
        Coverage.of(coverage));
  }

  /** Plain logarithm: log1p of percent, or log of MiB. */
  public double log(ProfileRow row) {
    return regression.answer(MeasuredRuns.run(row, catalogue)).log();
  }

  /**
   * Bounds of the error below and above the estimate for a known host: one with other training
   * rows, or a new one.
   *
   * @throws IllegalStateException when it was made without bounds
   */
  public ResidualQuantiles offsets(ProfileRow row) {
    return offsets(row, hosts.of(row));
  }

  /**
   * The same for a request that names a device and no host.
   *
   * @throws IllegalStateException when it was made without bounds
   */
  public ResidualQuantiles offsetsOfUnnamedHost(ProfileRow row) {
    return offsets(row, Host.UNKNOWN);
  }

  private ResidualQuantiles offsets(ProfileRow row, Host host) {
    Device device = catalogue.require(row.device().value());
    return estimate(PredictionRequest.of(row.features(), row.settings(), device).on(host).at(level))
        .offsets();
  }

  /**
   * An estimate with its bounds.
   *
   * @throws IllegalStateException when it was made without bounds
   */
  public HybridModel.Estimate estimate(PredictionRequest request) {
    Run run = Run.of(request);
    HybridRegression.Answer answer = regression.answer(run);
    HybridModel.Estimate needed =
        new HybridModel.Estimate(
            answer.log(),
            required().bounds().offsets(run, answer, request.host(), request.level()),
            answer.familiarity());
    return BfcArena.reserved(regression.prior(), run, needed);
  }

  /**
   * How far below and above if everywhere alike: quantiles of the residuals themselves.
   *
   * @throws IllegalStateException when it was made without bounds
   */
  public ResidualQuantiles constantOffsets() {
    return required().constant().at(level);
  }

  private HybridCalibration.Calibrated required() {
    if (calibrated == null) {
      throw new IllegalStateException("made without bounds");
    }
    return calibrated;
  }
}
