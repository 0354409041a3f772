package dev.cotenant.predictor.hybrid;

import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.predictor.hybrid.HybridLearner.Sample;
import dev.cotenant.predictor.hybrid.prior.UtilizationPrior;
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
 * <p>Each family and each device is held out of a {@link TransferFit} of its own [jackknife+;
 * Barber et al., "Predictive inference with the jackknife+", 2021]; bounds are the wider of both
 * quantiles.
 */
final class JackknifeFit {
  private static final int MIN_DEVICES = 2;
  private static final int MIN_GROUPS = 6;

  /** Rows of one family on one device beyond these repeat each other. */
  private static final int MAX_ROWS = 100;

  private JackknifeFit() {}

  /** Whether there are devices and families enough to hold out. */
  static boolean isPossible(List<ProfileRow> rows) {
    Set<String> devices = new HashSet<>();
    Set<String> groups = new HashSet<>();
    rows.forEach(row -> {
      devices.add(Folds.device(row));
      groups.add(TransferFit.group(row));
    });
    return devices.size() >= MIN_DEVICES && groups.size() >= MIN_GROUPS;
  }

  static FarBound fit(Sample sample, List<ProfileRow> rows) {
    List<Integer> chosen = representatives(rows);
    Sample few = sample.select(chosen.stream().mapToInt(row -> row).toArray());
    List<ProfileRow> fewRows = chosen.stream().map(rows::get).toList();
    List<Scored> devices = leftOut(few, fewRows, Folds::device);
    return new FarBound.Jackknife(
        TransferFit.fit(few, fewRows),
        quantiles(leftOut(few, fewRows, ProfileRow::family)).widerOf(quantiles(devices)),
        devices.stream()
            .map(one -> new FarBound.Jackknife.HeldOut(one.formula(), quantiles(List.of(one))))
            .toList());
  }

  /** At most {@link #MAX_ROWS} of each group, evenly spread over its rows. */
  private static List<Integer> representatives(List<ProfileRow> rows) {
    Map<String, List<Integer>> groups = new TreeMap<>();
    for (int i = 0; i < rows.size(); i++) {
      groups.computeIfAbsent(TransferFit.group(rows.get(i)), _ -> new ArrayList<>()).add(i);
    }
    List<Integer> chosen = new ArrayList<>();
    for (List<Integer> members : groups.values()) {
      int count = Math.min(MAX_ROWS, members.size());
      for (int i = 0; i < count; i++) {
        chosen.add(members.get((int) ((long) i * members.size() / count)));
      }
    }
    return chosen;
  }

  /** A formula and the weighted scores of the rows that were held out of its fit. */
  private record Scored(UtilizationPrior formula, List<Double> scores, List<Double> weights) {}

  private static List<Scored> leftOut(
      Sample sample, List<ProfileRow> rows, Function<ProfileRow, String> groupOf) {
    List<Scored> all = new ArrayList<>();
    for (Folds.Split split : Folds.leaveOneOut(rows, groupOf)) {
      UtilizationPrior formula =
          TransferFit.fit(sample.select(split.train()), select(rows, split.train())).formula();
      List<Double> scores = new ArrayList<>();
      for (int row : split.test()) {
        scores.add(
            FarBound.Jackknife.score(formula, sample.runs().get(row), sample.logs().values()[row]));
      }
      double[] shares = TransferFit.shares(select(rows, split.test()));
      all.add(new Scored(formula, scores, Arrays.stream(shares).boxed().toList()));
    }
    return all;
  }

  private static LevelQuantiles quantiles(List<Scored> scored) {
    return LevelQuantiles.of(
        scored.stream().flatMap(one -> one.scores().stream()).mapToDouble(score -> score).toArray(),
        scored.stream()
            .flatMap(one -> one.weights().stream())
            .mapToDouble(weight -> weight)
            .toArray());
  }

  private static List<ProfileRow> select(List<ProfileRow> rows, int... indices) {
    return Arrays.stream(indices).mapToObj(rows::get).toList();
  }
}
