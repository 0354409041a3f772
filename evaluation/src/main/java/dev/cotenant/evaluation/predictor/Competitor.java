package dev.cotenant.evaluation.predictor;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileRow.Quality;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.evaluation.learner.ForestLearner;
import dev.cotenant.evaluation.learner.ForestSettings;
import dev.cotenant.predictor.hybrid.HybridFit;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.train.TrainingSettings;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What predicts in an evaluation. */
enum Competitor {
  /** Ours: a mechanistic prior and corrections that fade with distance. */
  HYBRID("hybrid"),
  /** Our prior alone. */
  PRIOR("prior"),
  /** A random forest on the features of [UtilPred, Table 2], settings chosen inside. */
  FOREST("forest"),
  /** The mean of the training part. */
  CONSTANT("constant"),
  /** A line on the logarithm of the batch. */
  BATCH_ONLY("batch-only"),
  /** A line on the logarithm of the FLOPs. */
  FLOPS_ONLY("flops-only"),
  /** A line on the logarithm of the roofline time of a step. */
  ROOFLINE("roofline"),
  /** Weights, gradients, moments, activations and context, nothing learned; memory only. */
  ANALYTIC("analytic");

  /** Rows of the held-out family, where there are a few, share this much of the weight. */
  private static final double FEW_ROWS_SHARE = 0.15;

  private final String label;

  Competitor(String label) {
    this.label = label;
  }

  /** Predicts the plain logarithm of one row: log1p of percent, or log of MiB. */
  @FunctionalInterface
  interface Regression {
    double predict(ProfileRow row);
  }

  /**
   * How an evaluation learns.
   *
   * @param grid the settings that {@link #FOREST} chooses from
   */
  record Way(
      Target target,
      DeviceCatalogue catalogue,
      TrainingSettings settings,
      List<ForestSettings> grid) {
    /** With the standard grid. */
    Way(Target target, DeviceCatalogue catalogue, TrainingSettings settings) {
      this(target, catalogue, settings, ForestSettings.STANDARD);
    }

    HybridFit.Way hybrid() {
      return new HybridFit.Way(target, catalogue, settings.learner(), settings.seed());
    }

    float[] vector(ProfileRow row) {
      return target.vector(row.features(), device(row));
    }

    Device device(ProfileRow row) {
      return catalogue.require(row.device().value());
    }
  }

  String label() {
    return label;
  }

  boolean isOurs() {
    return this == HYBRID;
  }

  boolean entersFor(Target target) {
    return this != ANALYTIC || target == Target.PEAK_MEMORY;
  }

  Regression fit(HoldOut.Training training, Way way) {
    Target target = way.target();
    return switch (this) {
      case HYBRID -> hybrid(training, way)::log;
      case PRIOR -> HybridFit.prior(clean(training.all()), way.hybrid())::applyAsDouble;
      case FOREST -> forest(training.all(), way);
      case CONSTANT -> {
        double mean = Line.mean(training.all(), target);
        yield row -> mean;
      }
      case BATCH_ONLY ->
          Line.fit(training.all(), target, row -> Math.log(row.features().batchSize()));
      case FLOPS_ONLY ->
          Line.fit(training.all(), target, row -> Math.log1p(row.features().flops() / 1e9));
      case ROOFLINE ->
          Line.fit(training.all(), target, row -> rooflineLog(row.features(), way.device(row)));
      case ANALYTIC -> row -> target.logScale(row.features());
    };
  }

  private static HybridFit hybrid(HoldOut.Training training, Way way) {
    List<ProfileRow> many = clean(training.many());
    List<ProfileRow> few = clean(training.few());
    return few.isEmpty()
        ? HybridFit.of(many, way.hybrid())
        : HybridFit.of(new HybridFit.Shots(many, few, FEW_ROWS_SHARE), way.hybrid());
  }

  /** The hybrid model with bounds that hold in a share of cases. */
  static HybridFit bounded(HoldOut.Training training, double coverage, Way way) {
    List<ProfileRow> many = clean(training.many());
    List<ProfileRow> few = clean(training.few());
    return few.isEmpty()
        ? HybridFit.calibrated(many, coverage, way.hybrid())
        : HybridFit.calibrated(
            new HybridFit.Shots(many, few, FEW_ROWS_SHARE), coverage, way.hybrid());
  }

  private static List<ProfileRow> clean(List<ProfileRow> rows) {
    return rows.stream().filter(row -> row.quality() == Quality.CLEAN).toList();
  }

  private static double rooflineLog(ModelFeatures model, Device device) {
    double arithmetic = model.flops() / (device.peak().teraflops(Precision.FP32) * 1e12);
    double bytes = (double) model.activations().bytes() + model.modelSize().bytes();
    double traffic = bytes / (device.bandwidthGigabytesPerSecond() * 1e9);
    return Math.log(1e-9 + Math.max(arithmetic, traffic));
  }

  private static Regression forest(List<ProfileRow> all, Way way) {
    List<ProfileRow> rows = all.stream().filter(way.target()::isMeasured).toList();
    float[][] vectors = rows.stream().map(way::vector).toArray(float[][]::new);
    double[] logs = rows.stream().mapToDouble(way.target()::logOf).toArray();
    long seed = way.settings().seed();
    ForestSettings chosen = ForestLearner.choose(vectors, logs, way.grid(), seed);
    ToDoubleFunction<float[]> forest = ForestLearner.grow(vectors, logs, chosen, seed);
    return row -> forest.applyAsDouble(way.vector(row)) + way.target().logScale(row.features());
  }
}
