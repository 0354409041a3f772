package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.learning.trees.BoostedTrees;
import dev.cotenant.learning.trees.BoostingLearner;
import dev.cotenant.learning.trees.BoostingSettings;
import dev.cotenant.predictor.hybrid.HybridLearner.Sample;
import dev.cotenant.predictor.hybrid.prior.Covariates;
import dev.cotenant.predictor.hybrid.prior.Run;
import dev.cotenant.predictor.hybrid.prior.UtilizationPrior;
import dev.cotenant.predictor.model.Host;
import dev.cotenant.predictor.model.LevelQuantiles;
import dev.cotenant.predictor.train.Folds;
import dev.cotenant.predictor.train.Folds.Split;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

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
   * With fewer rows, leaving out a quarter matters: the remaining fit errs more than the final one,
   * so that its bounds are too wide. More folds leave out less.
   */
  private static final int FEW_ROWS = 500;

  private static final int FOLDS_OF_FEW = 16;

  /** A group of fewer rows is no sample of what else such a group may do. */
  private static final int MIN_GROUP = 30;

  /** Where all rows are few, a group of one in so many is no longer small. */
  private static final int MIN_SHARE = 12;

  /** Errors below this, in the logarithm, are all called small. */
  private static final double MIN_ERROR = 0.005;

  private static final BoostingSettings DIFFICULTY =
      new BoostingSettings(120, 3, 0.08, 0.7, 0.5, 20, 20);

  /** Few rows tell little of where errors are large. */
  private static final BoostingSettings DIFFICULTY_OF_FEW =
      new BoostingSettings(20, 3, 0.08, 0.7, 0.5, 20, 20);

  private final HybridLearner learner;
  private final long seed;
  private final Runnable onStep;

  /**
   * @param onStep called after each of {@link #steps}
   */
  HybridCalibration(HybridLearner learner, long seed, Runnable onStep) {
    this.learner = learner;
    this.seed = seed;
    this.onStep = onStep;
  }

  /**
   * A regression and its bounds.
   *
   * @param constant quantiles of the residuals themselves, for comparison
   */
  record Calibrated(HybridRegression regression, HybridBounds bounds, LevelQuantiles constant) {}

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
    List<Split> splits = splits(rows, seed);
    for (Split split : splits) {
      boolean isByLayout = splits.indexOf(split) >= randomFolds(rows);
      HybridRegression other = learner.fit(sample.select(split.train()));
      for (int row : split.test()) {
        HybridRegression.Answer answer = other.answer(sample.runs().get(row));
        double residual = sample.logs().values()[row] - answer.log();
        misses.add(new Miss(row, isByLayout, answer.covariates(), residual));
      }
      onStep.run();
    }
    double[] residuals = misses.stream().mapToDouble(Miss::residual).toArray();
    HybridBounds bounds =
        new HybridBounds(
            difficulty(misses), familiar(regression, sample, rows, misses), far(sample, rows));
    return new Calibrated(
        regression.answeringFar(bounds.far()), bounds, LevelQuantiles.of(residuals));
  }

  /** Residual of a row from a regression without it. */
  private record Miss(
      int row, boolean isByLayout, HybridRegression.Vector covariates, double residual) {}

  /** Quantiles of all rows, of each family on each device, each family and each device. */
  private FamiliarGroups familiar(
      HybridRegression regression, Sample sample, List<ProfileRow> rows, List<Miss> misses) {
    double[] scores = scores(misses);
    Map<String, List<Integer>> groups = new TreeMap<>();
    for (int i = 0; i < scores.length; i++) {
      ProfileRow row = rows.get(misses.get(i).row());
      String device = Folds.device(row);
      for (String name :
          List.of(
              FamiliarGroups.of(row.family(), device),
              row.family(),
              FamiliarGroups.ofDevice(device),
              FamiliarGroups.ALL)) {
        groups.computeIfAbsent(name, _ -> new ArrayList<>()).add(i);
      }
    }
    SortedMap<String, LevelQuantiles> tables = new TreeMap<>();
    groups.forEach((name, members) -> {
      List<Miss> missed = members.stream().map(misses::get).toList();
      tables.put(name, quantiles(members, misses, scores).ofRows(independent(missed, rows)));
    });
    return new FamiliarGroups(families(regression, sample, rows), tables);
  }

  /**
   * Each row was left out twice: at random and with its layout. In a group of few rows a request is
   * rather a new network than another batch of a measured one, so only the second counts.
   */
  private static LevelQuantiles quantiles(
      List<Integer> members, List<Miss> misses, double[] scores) {
    boolean isSmall = members.size() < 2 * FEW_ROWS;
    List<Integer> counted =
        members.stream().filter(i -> !isSmall || misses.get(i).isByLayout()).toList();
    List<Integer> used = counted.isEmpty() ? members : counted;
    return LevelQuantiles.of(used.stream().mapToDouble(i -> scores[i]).toArray());
  }

  /** Distinct rows; in a group of few rows networks, whose batches are one observation. */
  private static int independent(List<Miss> misses, List<ProfileRow> rows) {
    long distinct = misses.stream().map(Miss::row).distinct().count();
    return (int)
        (distinct >= FEW_ROWS
            ? distinct
            : misses.stream().map(miss -> Folds.layout(rows.get(miss.row()))).distinct().count());
  }

  /** The family of the measured run nearest to each landmark. */
  private static List<String> families(
      HybridRegression regression, Sample sample, List<ProfileRow> rows) {
    int count = regression.landmarks().count();
    float[] nearest = new float[count];
    Arrays.fill(nearest, Float.POSITIVE_INFINITY);
    String[] families = new String[count];
    for (int i = 0; i < rows.size(); i++) {
      Run run = sample.runs().get(i);
      float[] distances =
          regression.landmarks().squaredDistances(Covariates.of(run, regression.prior().log(run)));
      for (int k = 0; k < count; k++) {
        if (distances[k] < nearest[k]) {
          nearest[k] = distances[k];
          families[k] = rows.get(i).family();
        }
      }
    }
    return List.of(families);
  }

  private FarBound far(Sample sample, List<ProfileRow> rows) {
    return learner.belief() instanceof UtilizationPrior && JackknifeFit.isPossible(rows)
        ? JackknifeFit.fit(sample, rows)
        : new FarBound.OfCoefficients(learner.prior(sample), novel(sample, rows));
  }

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
            .mapToDouble(miss -> Math.log(Math.abs(miss.residual()) + MIN_ERROR))
            .toArray();
    double mean = Arrays.stream(sizes).average().orElseThrow();
    double[] centred = Arrays.stream(sizes).map(size -> size - mean).toArray();
    float[][] vectors =
        misses.stream().map(miss -> miss.covariates().values()).toArray(float[][]::new);
    // each row was left out twice: at random and with its layout
    BoostingSettings settings = misses.size() < 2 * FEW_ROWS ? DIFFICULTY_OF_FEW : DIFFICULTY;
    return new BoostingLearner(vectors).fit(centred, settings, seed);
  }

  private static int folds(List<ProfileRow> rows) {
    return rows.size() < FEW_ROWS ? FOLDS_OF_FEW : FOLDS;
  }

  /** The first of the splits are random. */
  private static int randomFolds(List<ProfileRow> rows) {
    return Folds.random(rows.size(), folds(rows), 0).size();
  }

  private static List<Split> splits(List<ProfileRow> rows, long seed) {
    int folds = folds(rows);
    List<Split> splits = new ArrayList<>(Folds.random(rows.size(), folds, seed));
    splits.addAll(Folds.grouped(rows, Folds::layout, folds));
    return splits;
  }

  /**
   * The widest of what the prior misses on families, on layouts and on devices left out, over its
   * uncertainty; no less than if that uncertainty were all there is. Far from all runs the prior
   * answers alone, so this replays what happens to a new group.
   */
  private LevelQuantiles novel(Sample sample, List<ProfileRow> rows) {
    LevelQuantiles widest = null;
    List<Function<ProfileRow, String>> groupings =
        List.of(ProfileRow::family, Folds::layout, Folds::device);
    for (Function<ProfileRow, String> groupOf : groupings) {
      List<Split> splits = Folds.leaveOneOut(rows, large(rows, groupOf));
      if (!splits.isEmpty()) {
        LevelQuantiles leftOut = leftOut(sample, rows, splits);
        widest = widest == null ? leftOut : widest.widerOf(leftOut);
      }
    }
    return widest == null
        ? LevelQuantiles.of(new double[rows.size()]).atLeastNormal()
        : widest.atLeastNormal();
  }

  /** Quantiles over groups, each counting once whatever its rows. */
  private LevelQuantiles leftOut(Sample sample, List<ProfileRow> rows, List<Split> splits) {
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
    return LevelQuantiles.of(
        scores.stream().mapToDouble(score -> score).toArray(),
        weights.stream().mapToDouble(weight -> weight).toArray());
  }

  /** Small groups are one. */
  static Function<ProfileRow, String> large(
      List<ProfileRow> rows, Function<ProfileRow, String> groupOf) {
    Map<String, Integer> sizes = new HashMap<>();
    rows.forEach(row -> sizes.merge(groupOf.apply(row), 1, Integer::sum));
    int least = Math.clamp(rows.size() / MIN_SHARE, 1, MIN_GROUP);
    return row -> {
      String group = groupOf.apply(row);
      return sizes.getOrDefault(group, 0) < least ? "" : group;
    };
  }
}
