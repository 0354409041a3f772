package dev.cotenant.predictor.layered;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.boost.BoostedTrees;
import dev.cotenant.predictor.boost.BoostingLearner;
import dev.cotenant.predictor.boost.BoostingSettings;
import dev.cotenant.predictor.forest.ResidualQuantiles;
import dev.cotenant.predictor.layered.LayeredLearner.Sample;
import dev.cotenant.predictor.train.Folds;
import dev.cotenant.predictor.train.Folds.Split;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Learns a regression of one target with bounds that hold in a wanted share of cases.
 *
 * <p>Residuals come from regressions that had not seen the rows: random folds and folds of whole
 * layouts, since a run asked about may be the like of a measured one or a new layout. Divided by
 * the error to expect at the place they are exchangeable enough for a quantile [normalised
 * conformal prediction; Papadopoulos et al., "Normalized nonconformity measures for regression
 * conformal prediction", 2008]; reuse of out-of-fold residuals carries no exact guarantee, so
 * coverage is measured on held-out rows beside the errors.
 */
final class LayeredCalibration {
  private static final int FOLDS = 4;

  /** A group of fewer rows is no sample of what else such a group may do. */
  private static final int LEAST_GROUP = 30;

  /** Errors below this, in the logarithm, are all called small. */
  private static final double LEAST_ERROR = 0.005;

  private static final BoostingSettings DIFFICULTY =
      new BoostingSettings(120, 3, 0.08, 0.7, 0.5, 20, 20);

  private final LayeredLearner learner;
  private final double coverage;
  private final long seed;
  private final Runnable onStep;

  /**
   * @param coverage the share of cases that each bound is to hold, 0 to 1
   * @param onStep called after each of {@link #steps}
   */
  LayeredCalibration(LayeredLearner learner, double coverage, long seed, Runnable onStep) {
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
  record Calibrated(
      LayeredRegression regression, LayeredBounds bounds, ResidualQuantiles constant) {}

  /** How often {@code onStep} will be called at most. */
  static int steps() {
    return 2 * FOLDS + 1;
  }

  /**
   * @param rows where the sample's runs come from, in the same order
   */
  Calibrated fit(Sample sample, List<ProfileRow> rows) {
    LayeredRegression regression = learner.fit(sample);
    onStep.run();
    List<float[]> vectors = new ArrayList<>();
    List<Double> residuals = new ArrayList<>();
    for (Split split : splits(rows)) {
      LayeredRegression other = learner.fit(sample.select(split.train()));
      for (int row : split.test()) {
        LayeredRegression.Answer answer = other.answer(sample.runs().get(row));
        vectors.add(answer.covariates().values());
        residuals.add(sample.logs().values()[row] - answer.log());
      }
      onStep.run();
    }
    double[] errors = residuals.stream().mapToDouble(Double::doubleValue).toArray();
    BoostedTrees difficulty = difficulty(vectors, errors);
    double[] scores =
        IntStream.range(0, errors.length)
            .mapToDouble(i -> errors[i] / Math.exp(difficulty.predict(vectors.get(i))))
            .toArray();
    LayeredBounds bounds =
        new LayeredBounds(difficulty, ResidualQuantiles.of(scores, coverage), novel(sample, rows));
    return new Calibrated(regression, bounds, ResidualQuantiles.of(errors, coverage));
  }

  private BoostedTrees difficulty(List<float[]> vectors, double[] errors) {
    double[] sizes =
        Arrays.stream(errors).map(error -> Math.log(Math.abs(error) + LEAST_ERROR)).toArray();
    double mean = Arrays.stream(sizes).average().orElseThrow();
    double[] centred = Arrays.stream(sizes).map(size -> size - mean).toArray();
    return BoostingLearner.fit(vectors.toArray(float[][]::new), centred, DIFFICULTY, seed);
  }

  private List<Split> splits(List<ProfileRow> rows) {
    List<Split> splits = new ArrayList<>(Folds.random(rows.size(), FOLDS, seed));
    splits.addAll(Folds.grouped(rows, Folds::layout, FOLDS));
    return splits;
  }

  /** The widest of what the prior misses on families left out; of layouts where there is one. */
  private ResidualQuantiles novel(Sample sample, List<ProfileRow> rows) {
    ResidualQuantiles families = widest(sample, rows, ProfileRow::family);
    ResidualQuantiles layouts = widest(sample, rows, Folds::layout);
    return families.widerOf(layouts);
  }

  private ResidualQuantiles widest(
      Sample sample, List<ProfileRow> rows, Function<ProfileRow, String> groupOf) {
    ResidualQuantiles widest = new ResidualQuantiles(0, 0);
    for (Split split : Folds.leaveOneOut(rows, large(rows, groupOf))) {
      Prior prior = learner.prior(sample.select(split.train()));
      double[] misses =
          Arrays.stream(split.test())
              .mapToDouble(row -> sample.logs().values()[row] - prior.log(sample.runs().get(row)))
              .toArray();
      widest = widest.widerOf(ResidualQuantiles.of(misses, coverage));
    }
    return widest;
  }

  /** Small groups are one. */
  static Function<ProfileRow, String> large(
      List<ProfileRow> rows, Function<ProfileRow, String> groupOf) {
    Map<String, Integer> sizes = new HashMap<>();
    rows.forEach(row -> sizes.merge(groupOf.apply(row), 1, Integer::sum));
    return row -> {
      String group = groupOf.apply(row);
      return sizes.getOrDefault(group, 0) < LEAST_GROUP ? "" : group;
    };
  }
}
