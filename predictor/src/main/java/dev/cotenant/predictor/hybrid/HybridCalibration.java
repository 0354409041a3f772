package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.learning.quantile.Quantiles;
import dev.cotenant.learning.trees.BoostedTrees;
import dev.cotenant.learning.trees.BoostingLearner;
import dev.cotenant.learning.trees.BoostingSettings;
import dev.cotenant.predictor.hybrid.HybridLearner.Sample;
import dev.cotenant.predictor.model.Host;
import dev.cotenant.predictor.model.ResidualQuantiles;
import dev.cotenant.predictor.train.Folds;
import dev.cotenant.predictor.train.Folds.Split;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import org.hipparchus.special.Erf;

/**
 * Learns a regression of one target with bounds that hold in a wanted share of cases.
 *
 * <p>Residuals come from regressions that had not seen the rows: random folds and folds of whole
 * layouts, since a requested run may be like a measured one or a new layout. Divided by the error
 * to expect at the place they are exchangeable enough for a quantile [normalised conformal
 * prediction; Papadopoulos et al., "Normalized nonconformity measures for regression conformal
 * prediction", 2008]; reuse of out-of-fold residuals carries no exact guarantee, so coverage is
 * measured on held-out rows beside the errors.
 */
final class HybridCalibration {
  private static final int FOLDS = 4;

  /**
   * Below so many rows a quarter of them is missed: what is left errs more than all will, and
   * bounds of it are too wide. More folds leave out less.
   */
  private static final int FEW_ROWS = 500;

  private static final int FOLDS_OF_FEW = 16;

  /** A group of fewer rows is no sample of what else such a group may do. */
  private static final int LEAST_GROUP = 30;

  /** Where all rows are few, a group of one in so many is no longer small. */
  private static final int LEAST_SHARE = 12;

  /** Errors below this, in the logarithm, are all called small. */
  private static final double LEAST_ERROR = 0.005;

  private static final BoostingSettings DIFFICULTY =
      new BoostingSettings(120, 3, 0.08, 0.7, 0.5, 20, 20);

  /** Few rows tell little of where errors are large. */
  private static final BoostingSettings DIFFICULTY_OF_FEW =
      new BoostingSettings(20, 3, 0.08, 0.7, 0.5, 20, 20);

  private final HybridLearner learner;
  private final double coverage;
  private final long seed;
  private final Runnable onStep;

  /**
   * @param coverage the share of cases that each bound is to hold, 0 to 1
   * @param onStep called after each of {@link #steps}
   */
  HybridCalibration(HybridLearner learner, double coverage, long seed, Runnable onStep) {
    this.learner = learner;
    this.coverage = coverage;
    this.seed = seed;
    this.onStep = onStep;
  }

  /**
   * A regression and its bounds.
   *
   * @param constant quantiles of the residuals themselves, for comparison
   */
  record Calibrated(HybridRegression regression, HybridBounds bounds, ResidualQuantiles constant) {}

  /** How often {@code onStep} will be called for such rows. */
  static int steps(List<ProfileRow> rows) {
    return 1 + splits(rows, 0).size();
  }

  /**
   * @param rows where the sample's runs come from, in the same order
   */
  Calibrated fit(Sample sample, List<ProfileRow> rows) {
    HybridRegression regression = learner.fit(sample);
    onStep.run();
    List<Miss> misses = new ArrayList<>();
    for (Split split : splits(rows, seed)) {
      HybridRegression other = learner.fit(sample.select(split.train()));
      for (int row : split.test()) {
        HybridRegression.Answer answer = other.answer(sample.runs().get(row));
        double residual = sample.logs().values()[row] - answer.log();
        misses.add(new Miss(row, answer.covariates(), residual));
      }
      onStep.run();
    }
    double[] residuals = misses.stream().mapToDouble(Miss::residual).toArray();
    HybridBounds bounds =
        new HybridBounds(
            difficulty(misses),
            ResidualQuantiles.of(scores(misses), coverage),
            novel(sample, rows),
            learner.prior(sample));
    return new Calibrated(regression, bounds, ResidualQuantiles.of(residuals, coverage));
  }

  /** What was left of a row by a regression that had not seen it. */
  private record Miss(int row, HybridRegression.Vector covariates, double residual) {}

  /** Residuals over the error that the other half of the rows lets expect. */
  private double[] scores(List<Miss> misses) {
    List<Miss> even = misses.stream().filter(miss -> miss.row() % 2 == 0).toList();
    List<Miss> odd = misses.stream().filter(miss -> miss.row() % 2 == 1).toList();
    BoostedTrees byEven = difficulty(even);
    BoostedTrees byOdd = difficulty(odd);
    return misses.stream()
        .mapToDouble(miss -> {
          BoostedTrees other = miss.row() % 2 == 0 ? byOdd : byEven;
          return miss.residual() / Math.exp(other.predict(miss.covariates().values()));
        })
        .toArray();
  }

  private BoostedTrees difficulty(List<Miss> misses) {
    double[] sizes =
        misses.stream()
            .mapToDouble(miss -> Math.log(Math.abs(miss.residual()) + LEAST_ERROR))
            .toArray();
    double mean = Arrays.stream(sizes).average().orElseThrow();
    double[] centred = Arrays.stream(sizes).map(size -> size - mean).toArray();
    float[][] vectors =
        misses.stream().map(miss -> miss.covariates().values()).toArray(float[][]::new);
    // each row was left out twice: at random and with its layout
    BoostingSettings settings = misses.size() < 2 * FEW_ROWS ? DIFFICULTY_OF_FEW : DIFFICULTY;
    return new BoostingLearner(vectors).fit(centred, settings, seed);
  }

  private static List<Split> splits(List<ProfileRow> rows, long seed) {
    int folds = rows.size() < FEW_ROWS ? FOLDS_OF_FEW : FOLDS;
    List<Split> splits = new ArrayList<>(Folds.random(rows.size(), folds, seed));
    splits.addAll(Folds.grouped(rows, Folds::layout, folds));
    return splits;
  }

  /**
   * The widest of what the prior misses on families, on layouts and on devices left out, over its
   * uncertainty; no less than if that uncertainty were all there is. Far from all runs the prior
   * answers alone, so this replays what happens to a new group.
   */
  private ResidualQuantiles novel(Sample sample, List<ProfileRow> rows) {
    double normal = Math.sqrt(2) * Erf.erfInv(2 * coverage - 1);
    ResidualQuantiles widest = new ResidualQuantiles(-normal, normal);
    List<Function<ProfileRow, String>> groupings =
        List.of(ProfileRow::family, Folds::layout, Folds::device);
    for (Function<ProfileRow, String> groupOf : groupings) {
      List<Split> splits = Folds.leaveOneOut(rows, large(rows, groupOf));
      widest = splits.isEmpty() ? widest : widest.widerOf(leftOut(sample, rows, splits));
    }
    return widest;
  }

  /** Quantiles over groups, each counting once whatever its rows. */
  private ResidualQuantiles leftOut(Sample sample, List<ProfileRow> rows, List<Split> splits) {
    List<Double> scores = new ArrayList<>();
    List<Double> weights = new ArrayList<>();
    for (Split split : splits) {
      ParameterUncertainty fitted = learner.prior(sample.select(split.train()));
      MeasuredHosts hosts = MeasuredHosts.of(rows, split.train());
      for (int row : split.test()) {
        Run run = sample.runs().get(row);
        Host host = hosts.of(rows.get(row));
        double residual = sample.logs().values()[row] - fitted.log(run);
        scores.add(fitted.of(run, host).score(residual));
        weights.add(1.0 / split.test().length);
      }
    }
    double upper = quantile(scores.stream().mapToDouble(score -> score), weights);
    double lower = -quantile(scores.stream().mapToDouble(score -> -score), weights);
    return new ResidualQuantiles(Math.min(0, lower), Math.max(0, upper));
  }

  /** The first value that a {@code coverage} share of the weight does not lie beyond. */
  private double quantile(DoubleStream values, List<Double> weights) {
    return Quantiles.weighted(
        values.toArray(), weights.stream().mapToDouble(weight -> weight).toArray(), coverage);
  }

  /** Small groups are one. */
  static Function<ProfileRow, String> large(
      List<ProfileRow> rows, Function<ProfileRow, String> groupOf) {
    Map<String, Integer> sizes = new HashMap<>();
    rows.forEach(row -> sizes.merge(groupOf.apply(row), 1, Integer::sum));
    int least = Math.clamp(rows.size() / LEAST_SHARE, 1, LEAST_GROUP);
    return row -> {
      String group = groupOf.apply(row);
      return sizes.getOrDefault(group, 0) < least ? "" : group;
    };
  }
}
