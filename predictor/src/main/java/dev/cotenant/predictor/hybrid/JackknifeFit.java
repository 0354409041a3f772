package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.hybrid.HybridLearner.Numbers;
import dev.cotenant.predictor.hybrid.HybridLearner.Sample;
import dev.cotenant.predictor.model.LevelQuantiles;
import dev.cotenant.predictor.train.Folds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Learns the bound of utilization on families and devices that were not measured.
 *
 * <p>A formula of a step's time is fitted to absolute errors, each family on a device counting
 * once: random perceptrons are nine of ten rows and say little of named networks. Each family and
 * each device is held out of a fit of its own [jackknife+; Barber et al., "Predictive inference
 * with the jackknife+", 2021]; bounds are the wider of both quantiles.
 */
final class JackknifeFit {
  private static final int LEAST_DEVICES = 2;
  private static final int LEAST_GROUPS = 6;

  /** Rows of one family on one device beyond these repeat each other. */
  private static final int MOST_ROWS = 100;

  private static final int REWEIGHTINGS = 8;

  /** Smaller errors weigh as much as errors of this size, in the logarithm. */
  private static final double LEAST_ERROR = 0.03;

  private JackknifeFit() {}

  /** Whether there are devices and families enough to hold out. */
  static boolean isPossible(List<ProfileRow> rows) {
    Set<String> devices = new HashSet<>();
    Set<String> groups = new HashSet<>();
    rows.forEach(row -> {
      devices.add(Folds.device(row));
      groups.add(group(row));
    });
    return devices.size() >= LEAST_DEVICES && groups.size() >= LEAST_GROUPS;
  }

  static FarBound fit(Sample sample, List<ProfileRow> rows) {
    List<Integer> chosen = representatives(rows);
    Sample few = sample.select(chosen.stream().mapToInt(row -> row).toArray());
    List<ProfileRow> fewRows = chosen.stream().map(rows::get).toList();
    LevelQuantiles quantiles =
        leftOut(few, fewRows, ProfileRow::family).widerOf(leftOut(few, fewRows, Folds::device));
    return new FarBound.Jackknife(formula(few, fewRows), quantiles);
  }

  private static String group(ProfileRow row) {
    return FamiliarGroups.of(row.family(), Folds.device(row));
  }

  /** At most {@link #MOST_ROWS} of each group, evenly spread over its rows. */
  private static List<Integer> representatives(List<ProfileRow> rows) {
    Map<String, List<Integer>> groups = new TreeMap<>();
    for (int i = 0; i < rows.size(); i++) {
      groups.computeIfAbsent(group(rows.get(i)), _ -> new ArrayList<>()).add(i);
    }
    List<Integer> chosen = new ArrayList<>();
    for (List<Integer> members : groups.values()) {
      int count = Math.min(MOST_ROWS, members.size());
      for (int i = 0; i < count; i++) {
        chosen.add(members.get((int) ((long) i * members.size() / count)));
      }
    }
    return chosen;
  }

  private static LevelQuantiles leftOut(
      Sample sample, List<ProfileRow> rows, Function<ProfileRow, String> groupOf) {
    List<Double> scores = new ArrayList<>();
    List<Double> weights = new ArrayList<>();
    for (Folds.Split split : Folds.leaveOneOut(rows, groupOf)) {
      List<ProfileRow> train = select(rows, split.train());
      List<ProfileRow> test = select(rows, split.test());
      UtilizationPrior formula = formula(sample.select(split.train()), train);
      double[] shares = shares(test);
      for (int i = 0; i < test.size(); i++) {
        int row = split.test()[i];
        scores.add(
            FarBound.Jackknife.score(formula, sample.runs().get(row), sample.logs().values()[row]));
        weights.add(shares[i]);
      }
    }
    return LevelQuantiles.of(
        scores.stream().mapToDouble(score -> score).toArray(),
        weights.stream().mapToDouble(weight -> weight).toArray());
  }

  private static List<ProfileRow> select(List<ProfileRow> rows, int... indices) {
    return Arrays.stream(indices).mapToObj(rows::get).toList();
  }

  /** A weight for each row such that groups weigh alike and all together 1. */
  private static double[] shares(List<ProfileRow> rows) {
    Map<String, Integer> sizes = new TreeMap<>();
    rows.forEach(row -> sizes.merge(group(row), 1, Integer::sum));
    return rows.stream()
        .mapToDouble(row -> 1.0 / sizes.getOrDefault(group(row), 1) / sizes.size())
        .toArray();
  }

  /** Least absolute deviations by iteratively reweighted least squares. */
  private static UtilizationPrior formula(Sample sample, List<ProfileRow> rows) {
    List<Run> runs = sample.runs().stream().map(Run::eager).toList();
    double[] shares = shares(rows);
    double[] weights = shares.clone();
    UtilizationPrior formula = UtilizationPrior.EAGER;
    for (int i = 0; i < REWEIGHTINGS; i++) {
      formula =
          UtilizationPrior.EAGER.withLogarithms(
              new PriorFit(UtilizationPrior.EAGER)
                  .fit(runs, sample.logs().values(), weights)
                  .prior()
                  .logarithms());
      weights = reweighted(shares, new Sample(runs, sample.logs(), new Numbers(weights)), formula);
    }
    return formula;
  }

  private static double[] reweighted(double[] shares, Sample sample, UtilizationPrior formula) {
    double[] weights = new double[shares.length];
    for (int i = 0; i < weights.length; i++) {
      double error = sample.logs().values()[i] - formula.log(sample.runs().get(i));
      weights[i] = shares[i] / Math.max(LEAST_ERROR, Math.abs(error));
    }
    return weights;
  }
}
