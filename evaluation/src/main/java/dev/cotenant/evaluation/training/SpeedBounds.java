package dev.cotenant.evaluation.training;

import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.interference.Interval;
import dev.cotenant.learning.quantile.Quantiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * How many deviations below its estimate a speed has to be expected, so that one in ten is lower
 * still: measured on rows that the model had not seen, apart for jobs whose own model is new, whose
 * neighbour's model is new, and neither.
 */
final class SpeedBounds {
  /*
   * Each model of the training rows is left out in turn, then each fifth of the pairs; the model is
   * fitted to the rest, and the rows left out are grouped by what was new about them. The factor
   * of a kind is the 90 % quantile of (estimate − measured)/deviation over its rows.
   */
  private static final double BOUND = 0.9;
  private static final int FOLDS = 5;
  private static final int MIN_ROWS = 20;

  /** Novelty of a row. */
  private enum Novelty {
    NOTHING,
    NEIGHBOUR,
    OWN
  }

  private final Set<String> models;
  private final Map<Novelty, Double> factors;

  private SpeedBounds(Set<String> models, Map<Novelty, Double> factors) {
    this.models = models;
    this.factors = factors;
  }

  /** An estimate of one row's speed and the deviation that goes with it. */
  interface Estimator {
    double speed(TrainingPair pair);

    double deviation(TrainingPair pair);
  }

  /**
   * From the rows that were learned from.
   *
   * @param fit fits an estimator to a subset of the rows
   */
  static SpeedBounds of(List<TrainingPair> rows, Function<List<TrainingPair>, Estimator> fit) {
    Map<Novelty, List<Double>> scores = new EnumMap<>(Novelty.class);
    for (String model : models(rows)) {
      score(rows, row -> involves(row, model), fit, scores);
    }
    List<String> pairs = rows.stream().map(TrainingPair::pair).distinct().sorted().toList();
    for (int fold = 0; fold < FOLDS; fold++) {
      Set<String> out = new TreeSet<>();
      for (int i = fold; i < pairs.size(); i += FOLDS) {
        out.add(pairs.get(i));
      }
      score(rows, row -> out.contains(row.pair()), fit, scores);
    }
    Map<Novelty, Double> factors = new EnumMap<>(Novelty.class);
    scores.forEach((novelty, found) -> {
      if (found.size() >= MIN_ROWS) {
        double[] values = found.stream().mapToDouble(Double::doubleValue).toArray();
        factors.put(novelty, Math.max(0, Quantiles.conformal(values, BOUND)));
      }
    });
    return new SpeedBounds(models(rows), factors);
  }

  private static void score(
      List<TrainingPair> rows,
      Predicate<TrainingPair> isOut,
      Function<List<TrainingPair>, Estimator> fit,
      Map<Novelty, List<Double>> scores) {
    Map<Boolean, List<TrainingPair>> parts =
        rows.stream().collect(Collectors.partitioningBy(isOut));
    List<TrainingPair> seen = parts.getOrDefault(false, List.of());
    if (seen.isEmpty()) {
      return;
    }
    Set<String> known = models(seen);
    Estimator estimator = fit.apply(seen);
    for (TrainingPair row : parts.getOrDefault(true, List.of())) {
      double low = estimator.speed(row) - row.normalisedSpeed();
      scores
          .computeIfAbsent(novelty(row, known), _ -> new ArrayList<>())
          .add(low / estimator.deviation(row));
    }
  }

  /** A speed that the job keeps in nine of ten cases. */
  double least(TrainingPair pair, double speed, double deviation) {
    return speed
        - factors.getOrDefault(novelty(pair, models), Interval.NORMAL_QUANTILE) * deviation;
  }

  private static Novelty novelty(TrainingPair row, Set<String> known) {
    return !known.contains(row.own().model())
        ? Novelty.OWN
        : known.contains(row.other().model()) ? Novelty.NOTHING : Novelty.NEIGHBOUR;
  }

  private static boolean involves(TrainingPair row, String model) {
    return row.own().model().equals(model) || row.other().model().equals(model);
  }

  private static Set<String> models(List<TrainingPair> rows) {
    return rows.stream()
        .flatMap(row -> Arrays.asList(row.own().model(), row.other().model()).stream())
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
