package dev.cotenant.predictor.train;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.forest.BoundCoverage;
import dev.cotenant.predictor.forest.Forest;
import dev.cotenant.predictor.forest.ResidualQuantiles;
import dev.cotenant.predictor.forest.TargetModel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Grows the forest of one target and measures how wrong such a forest is on rows it has not seen.
 *
 * <p>Residuals come from forests grown without the rows they are taken on: five random folds, one
 * layout out, one family out, one device out. The quantiles of the seen domain are the wider of
 * random and layout-out, because a model that somebody asks about is not in the data; they are in
 * units of the trees' disagreement and the widest over the families, so that the many rows of an
 * easy family do not hide a hard one. Those of what is new are the widest over all families and
 * devices left out, because a new group may be like the worst; where there is but one group, the
 * next finer grouping stands in. Small groups are pooled.
 *
 * <p>That widest of a few groups need not bound the next group, so how often it does is measured:
 * the whole calibration is done again without each family and each device, and judged on it ({@link
 * GroupCoverage}). Complexity: one forest for each fold, and for each group one for each fold of
 * the others. Assumption: a new case is exchangeable with the rows of the matching kind;
 * cross-conformal use of out-of-fold scores has no exact guarantee, so measured coverage is
 * reported beside the errors.
 */
public final class Calibration {
  private static final int RANDOM_FOLDS = 5;
  static final int MIN_GROUP_ROWS = 30;

  private final ForestSettings settings;
  private final TrainingSettings training;
  private final double coverage;
  private final long seed;
  private final Runnable onForest;

  /** Actual minus predicted in log space, its scale, and the family of its row. */
  private record Residual(double log, double scale, String family) {
    double scaled() {
      return log / scale;
    }
  }

  /**
   * @param settings how every forest is grown
   * @param training gives seed and coverage
   * @param onForest called after each forest
   */
  public Calibration(ForestSettings settings, TrainingSettings training, Runnable onForest) {
    this.settings = settings;
    this.training = training;
    this.coverage = training.coverage().fraction();
    this.seed = training.seed();
    this.onForest = onForest;
  }

  /** How many forests {@link #fit} grows. */
  static int forests(TrainingTable table) {
    int nested =
        Stream.concat(families(table).stream(), devices(table).stream())
            .mapToInt(split -> boundForests(table.select(split.train())))
            .sum();
    return boundForests(table) + nested;
  }

  private static int boundForests(TrainingTable table) {
    return 1
        + RANDOM_FOLDS
        + by(table, Folds::layout).size()
        + families(table).size()
        + devices(table).size();
  }

  /** The forest on all rows of the table, its residual quantiles and how often they hold. */
  public TargetModel fit(TrainingTable table) {
    TargetModel model = bounds(table);
    GroupCoverage measured = new GroupCoverage(settings, training, onForest);
    return new TargetModel(
        model.target(),
        model.forest(),
        model.familiar(),
        model.novel(),
        new BoundCoverage(
            training.coverage(),
            measured.of(table, families(table)),
            measured.of(table, devices(table))));
  }

  /** As {@link #fit}, without measuring how often the bounds of what is new hold. */
  public TargetModel bounds(TrainingTable table) {
    List<List<Residual>> random = residuals(table, Folds.random(table.size(), RANDOM_FOLDS, seed));
    List<List<Residual>> layouts = orElse(residuals(table, by(table, Folds::layout)), random);
    List<List<Residual>> families = orElse(residuals(table, families(table)), layouts);
    List<List<Residual>> devices = orElse(residuals(table, devices(table)), families);
    return new TargetModel(
        table.target(),
        grow(table),
        familiar(random).widerOf(familiar(layouts)),
        widest(families, Residual::log).widerOf(widest(devices, Residual::log)),
        new BoundCoverage(training.coverage(), null, null));
  }

  private static List<Folds.Split> families(TrainingTable table) {
    return by(table, ProfileRow::family);
  }

  private static List<Folds.Split> devices(TrainingTable table) {
    return by(table, Folds::device);
  }

  private static <T> List<T> orElse(List<T> groups, List<T> otherwise) {
    return groups.isEmpty() ? otherwise : groups;
  }

  private static List<Folds.Split> by(TrainingTable table, Function<ProfileRow, String> group) {
    return Folds.leaveOneOut(table.rows(), group);
  }

  private Forest grow(TrainingTable table) {
    Forest forest = ForestLearner.grow(table, settings, seed);
    onForest.run();
    return forest;
  }

  private List<List<Residual>> residuals(TrainingTable table, List<Folds.Split> splits) {
    List<List<Residual>> residuals = new ArrayList<>();
    for (Folds.Split split : splits) {
      residuals.add(residuals(grow(table.select(split.train())), table.select(split.test())));
    }
    return residuals;
  }

  private static List<Residual> residuals(Forest forest, TrainingTable test) {
    List<Residual> residuals = new ArrayList<>(test.size());
    for (int row = 0; row < test.size(); row++) {
      Forest.Estimate estimate = forest.estimate(test.vector(row));
      residuals.add(
          new Residual(
              test.log(row) - estimate.mean(),
              test.target().scaleOf(estimate),
              test.row(row).family()));
    }
    return residuals;
  }

  private ResidualQuantiles familiar(List<List<Residual>> folds) {
    Collection<List<Residual>> families =
        folds.stream()
            .flatMap(List::stream)
            .collect(Collectors.groupingBy(Residual::family, TreeMap::new, Collectors.toList()))
            .values();
    return widest(families, Residual::scaled);
  }

  /** The widest quantiles over the large groups and the pool of the small ones. */
  private ResidualQuantiles widest(
      Collection<List<Residual>> groups, ToDoubleFunction<Residual> value) {
    List<List<Residual>> judged =
        new ArrayList<>(groups.stream().filter(group -> group.size() >= MIN_GROUP_ROWS).toList());
    List<Residual> pool =
        groups.stream()
            .filter(group -> group.size() < MIN_GROUP_ROWS)
            .flatMap(List::stream)
            .toList();
    if (!pool.isEmpty()) {
      judged.add(pool);
    }
    return judged.stream()
        .map(group -> ResidualQuantiles.of(group.stream().mapToDouble(value).toArray(), coverage))
        .reduce(ResidualQuantiles::widerOf)
        .orElseThrow();
  }
}
