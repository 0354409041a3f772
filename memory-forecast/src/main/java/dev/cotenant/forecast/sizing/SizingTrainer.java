package dev.cotenant.forecast.sizing;

import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.learning.quantile.Quantiles;
import dev.cotenant.learning.trees.BoostedTrees;
import dev.cotenant.learning.trees.BoostingLearner;
import dev.cotenant.learning.trees.BoostingSettings;
import dev.cotenant.learning.trees.Loss;
import java.util.ArrayList;
import java.util.List;

/**
 * Learns what suffices for the next window from windows of the past, of any workloads. Same rows
 * and seed, same model.
 */
public final class SizingTrainer {
  /*
   * Trees state a quantile of the rise from one peak to the next; what they miss on groups that they
   * have not seen, in units of the distance between quantile and median, is made up for by its
   * conformal quantile [Romano, Patterson and Candès, "Conformalized Quantile Regression", 2019;
   * scaled as in Sesia and Candès, 2020]. Of few rows or groups trees learn single workloads; there
   * the conformal quantile of the rise itself is the factor. Sizes of the trees were chosen on three
   * quarters of the pods of one production trace, by cross-validation among them.
   */
  private static final int MIN_ROWS = 1_000;
  private static final int MIN_GROUPS = 10;
  private static final int FOLDS = 10;
  private static final int SUMS = 2;
  private static final double MEDIAN = 0.5;

  private final double level;
  private final long seed;

  /**
   * @param level target probability that the stated memory suffices
   * @param seed every random choice follows from it
   */
  public SizingTrainer(Coverage level, long seed) {
    this.level = level.fraction();
    this.seed = seed;
  }

  /**
   * Learns from rows.
   *
   * @throws IllegalArgumentException without a row
   */
  public SizingModel train(List<SizingRow> rows) {
    List<String> groups = rows.stream().map(SizingRow::group).distinct().sorted().toList();
    SizingModel plain = factor(rows);
    if (rows.size() < MIN_ROWS || groups.size() < MIN_GROUPS) {
      return plain;
    }
    List<Double> missing = new ArrayList<>();
    for (int fold = 0; fold < FOLDS; fold++) {
      int held = fold;
      Pair pair = fit(rows.stream().filter(row -> fold(row, groups) != held).toList(), fold + 1);
      rows.stream()
          .filter(row -> fold(row, groups) == held)
          .forEach(row -> missing.add(pair.missing(row)));
    }
    Pair all = fit(rows, 0);
    double margin =
        Quantiles.conformal(missing.stream().mapToDouble(Double::doubleValue).toArray(), level);
    return new SizingModel(
        plain.probability(), plain.factor(), new SizingModel.Spread(all.upper, all.median, margin));
  }

  /** One factor of every peak: what any window needs, whatever its shape. */
  public SizingModel factor(List<SizingRow> rows) {
    if (rows.isEmpty()) {
      throw new IllegalArgumentException("needs at least one row");
    }
    double[] rises = rows.stream().mapToDouble(SizingRow::rise).toArray();
    double rank = Math.min(rises.length, Math.ceil((rises.length + 1) * level));
    return new SizingModel(
        Math.min(level, rank / (rises.length + 1)),
        Math.exp(Quantiles.conformal(rises, level)),
        null);
  }

  private record Pair(BoostedTrees upper, BoostedTrees median) {
    double missing(SizingRow row) {
      float[] features = row.past().features();
      double bound = upper.predict(features);
      return (row.rise() - bound) / SizingModel.Spread.distance(bound, median.predict(features));
    }
  }

  private static int fold(SizingRow row, List<String> groups) {
    return groups.indexOf(row.group()) % FOLDS;
  }

  private Pair fit(List<SizingRow> rows, int number) {
    BoostingLearner learner =
        new BoostingLearner(
            rows.stream().map(row -> row.past().features()).toArray(float[][]::new));
    double[] rises = rows.stream().mapToDouble(SizingRow::rise).toArray();
    return new Pair(trees(learner, rises, level, number), trees(learner, rises, MEDIAN, number));
  }

  /** The mean of several sums of trees, which varies less than one. */
  private BoostedTrees trees(BoostingLearner learner, double[] rises, double quantile, int number) {
    List<BoostedTrees> sums = new ArrayList<>();
    for (int i = 0; i < SUMS; i++) {
      sums.add(learner.fit(rises, settings(quantile), seed + 10L * number + i));
    }
    return BoostedTrees.mean(sums);
  }

  private static BoostingSettings settings(double quantile) {
    return new BoostingSettings(
        100, BoostingSettings.MAX_DEPTH, 0.05, 0.5, 0.5, 60, 0, 16, new Loss.Pinball(quantile));
  }
}
