package dev.cotenant.forecast.train;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.forecast.RecordedDevice;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.forecast.history.Situation;
import dev.cotenant.forecast.trees.PeakModel;
import dev.cotenant.learning.trees.BoostedTrees;
import dev.cotenant.learning.trees.BoostingLearner;
import dev.cotenant.learning.trees.BoostingSettings;
import dev.cotenant.learning.trees.Loss;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Learns a {@link PeakModel} from recorded series. Same series and seed, same model.
 *
 * <p>The bound's margin comes from series the trees had not seen: folds by group inside the
 * training set, each scored by trees of the others.
 */
public final class PeakTrainer {
  /*
   * Sizes of the trees, what their answers are measured from and the floors' quantile were chosen
   * by cross-validation among three quarters of the pods of alibaba-genai, the others unseen.
   */
  private static final double COVERAGE = 0.95;

  /** Starts and restarts are few; their floors hold in this share of the training windows. */
  private static final double FLOOR_QUANTILE = 0.96;

  /** What the margin makes the bound cover on held-out groups of the training set. */
  private static final double MARGIN_TARGET = 0.9505;

  private static final double ROW_SHARE = 0.5;
  private static final double FEATURE_SHARE = 0.4;
  private static final double MAX_MARGIN = 0.1;
  private static final int INNER_FOLDS = 3;
  private static final int MIN_WINDOWS = 1_000;

  private static final int BOUND_SUMS = 3;

  private static final BoostingSettings BOUND = settings(COVERAGE, 32, 200, 0.05, 200);
  private static final BoostingSettings PEAK = settings(0.5, 16, 100, 0.08, 200);
  private static final BoostingSettings NEXT = settings(0.5, 32, 200, 0.08, 100);

  private final long seed;

  /**
   * @param seed every random choice follows from it
   */
  public PeakTrainer(long seed) {
    this.seed = seed;
  }

  /**
   * Learns from these sets.
   *
   * @throws InputException ({@code too-few-windows}) when there is too little to learn from
   */
  public PeakModel train(List<SeriesSource.Result> sets) {
    String data =
        sets.stream()
            .map(set -> set.format() + " sha256 " + set.sha256())
            .collect(Collectors.joining(", "));
    return train(sets.stream().flatMap(set -> set.devices().stream()).toList(), data);
  }

  /** Learns from these devices; {@code data} is the provenance's line about them. */
  public PeakModel train(List<RecordedDevice> devices, String data) {
    WindowTable table = WindowTable.of(devices);
    List<WindowTable.Row> rows = table.rows();
    if (rows.size() < MIN_WINDOWS) {
      throw InputException.malformed(
          "too-few-windows",
          data + ": " + rows.size() + " windows, at least " + MIN_WINDOWS + " are needed.");
    }
    BoostingLearner learner = learner(table);
    double restartFactor =
        Math.max(1, floor(rows, Situation.RESTARTED, r -> r.peak() / r.reference()));
    double startShare = Math.min(1, floor(rows, Situation.STARTED, r -> r.peak() / r.capacity()));
    return new PeakModel(
        learner.fit(targets(rows, row -> row.rise(row.next())), NEXT, seed),
        learner.fit(targets(rows, row -> row.rise(row.peak())), PEAK, seed),
        bound(learner, targets(rows, row -> row.excess(row.peak()))),
        margin(table, devices, new Floors(restartFactor, startShare)),
        restartFactor,
        startShare,
        Coverage.of(COVERAGE),
        new PeakModel.Provenance(
            data,
            devices.size(),
            rows.size(),
            seed,
            BOUND_SUMS + " x " + BOUND + "; " + PEAK + "; " + NEXT));
  }

  /** The mean of several sums of trees, which varies less than one. */
  private BoostedTrees bound(BoostingLearner learner, double[] targets) {
    return BoostedTrees.mean(
        IntStream.range(0, BOUND_SUMS)
            .mapToObj(i -> learner.fit(targets, BOUND, seed + i))
            .toList());
  }

  /**
   * Margin of the bound by cross-validation over groups of the training set: the addition to the
   * bound of held-out trees that gives the target coverage together with the floors.
   */
  private double margin(WindowTable table, List<RecordedDevice> devices, Floors floors) {
    List<String> groups = devices.stream().map(RecordedDevice::group).distinct().sorted().toList();
    if (groups.size() < INNER_FOLDS) {
      return 0;
    }
    List<Double> missing = new ArrayList<>();
    for (int fold = 0; fold < INNER_FOLDS; fold++) {
      int held = fold;
      WindowTable seen = table.ofSeries(i -> foldOf(devices.get(i), groups) != held);
      WindowTable unseen = table.ofSeries(i -> foldOf(devices.get(i), groups) == held);
      BoostedTrees trees =
          learner(seen)
              .fit(targets(seen.rows(), row -> row.excess(row.peak())), BOUND, seed + 1 + fold);
      for (WindowTable.Row row : unseen.rows()) {
        if (row.share() == 1) {
          boolean holds = row.peak() <= floors.of(row);
          double more = row.excess(row.peak()) - trees.predict(row.features());
          missing.add(holds ? -1 : more);
        }
      }
    }
    double[] sorted = missing.stream().mapToDouble(m -> m).sorted().toArray();
    return Math.clamp(sorted[(int) (MARGIN_TARGET * (sorted.length - 1))], -MAX_MARGIN, MAX_MARGIN);
  }

  private static int foldOf(RecordedDevice device, List<String> groups) {
    return groups.indexOf(device.group()) % INNER_FOLDS;
  }

  /** Minimum of the bound, regardless of the trees. */
  private record Floors(double restartFactor, double startShare) {
    double of(WindowTable.Row row) {
      return switch (row.situation()) {
        case RUNNING -> row.recentMaximum();
        case RESTARTED -> Math.max(row.recentMaximum(), restartFactor * row.reference());
        case STARTED -> Math.max(row.recentMaximum(), startShare * row.capacity());
      };
    }
  }

  private static BoostingLearner learner(WindowTable table) {
    return new BoostingLearner(table.features(), table.weights());
  }

  /**
   * Leaf by leaf on half of the rows and 40 % of the features.
   *
   * @param leafWeight least weight of a leaf, in rows of mean weight
   */
  private static BoostingSettings settings(
      double quantile, int leaves, int rounds, double learningRate, double leafWeight) {
    return new BoostingSettings(
        rounds,
        BoostingSettings.MAX_DEPTH,
        learningRate,
        ROW_SHARE,
        FEATURE_SHARE,
        leafWeight,
        0,
        leaves,
        new Loss.Pinball(quantile));
  }

  private static double[] targets(
      List<WindowTable.Row> rows, ToDoubleFunction<WindowTable.Row> target) {
    return rows.stream().mapToDouble(target).toArray();
  }

  private static double floor(
      List<WindowTable.Row> rows, Situation kind, ToDoubleFunction<WindowTable.Row> ratio) {
    double[] ratios =
        rows.stream().filter(row -> row.situation() == kind).mapToDouble(ratio).sorted().toArray();
    return ratios.length == 0 ? 1 : ratios[(int) (FLOOR_QUANTILE * (ratios.length - 1))];
  }
}
