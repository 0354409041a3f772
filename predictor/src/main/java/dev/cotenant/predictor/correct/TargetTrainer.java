package dev.cotenant.predictor.correct;

import dev.cotenant.domain.device.DeviceCatalogue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Learns the correction of one target from residuals; each step has to prove itself. */
final class TargetTrainer {
  /*
   * Ten folds; all batches of one model on one platform that ran at one batch are in one fold. Offsets
   * are kept when they lower the squared error of left-out runs by more than a standard error of that
   * gain, trees when they lower it further by more than one. What is kept is fitted again on all runs;
   * the left-out errors give the scale of the bounds.
   */
  static final int LEAST_RUNS_FOR_TREES = 200;

  private static final int FOLDS = 10;
  private static final double CAUTION = 1.0;

  private final DeviceCatalogue devices;

  TargetTrainer(DeviceCatalogue devices) {
    this.devices = devices;
  }

  /** Errors that are left on runs which had been left out, in the order of the runs. */
  private record LeftOut(List<Residual> residuals) {
    double meanSquare() {
      return residuals.stream().mapToDouble(r -> r.error() * r.error()).average().orElse(0);
    }

    /** Whether these are surely smaller than {@code other}. */
    boolean surelyBetterThan(LeftOut other) {
      int runs = residuals.size();
      double[] gains = new double[runs];
      double sum = 0;
      for (int i = 0; i < runs; i++) {
        double mine = residuals.get(i).error();
        double its = other.residuals.get(i).error();
        gains[i] = its * its - mine * mine;
        sum += gains[i];
      }
      double mean = sum / Math.max(1, runs);
      double squares = 0;
      for (double gain : gains) {
        squares += (gain - mean) * (gain - mean);
      }
      return mean > CAUTION * Math.sqrt(squares / Math.max(1, runs - 1) / Math.max(1, runs));
    }
  }

  /** What was fitted on some runs. */
  private record Fitted(Offsets offsets, BoostedTrees trees) {}

  TargetCorrection fit(List<Residual> residuals) {
    if (residuals.isEmpty()) {
      return TargetCorrection.NONE;
    }
    LeftOut best = new LeftOut(residuals);
    double before = best.meanSquare();
    Fitted kept = new Fitted(Offsets.NONE, new BoostedTrees(List.of()));
    LeftOut withOffsets = leftOut(residuals, this::offsets);
    if (withOffsets.surelyBetterThan(best)) {
      best = withOffsets;
      kept = offsets(residuals);
    }
    if (residuals.size() >= LEAST_RUNS_FOR_TREES) {
      LeftOut withTrees = leftOut(residuals, this::trees);
      if (withTrees.surelyBetterThan(best)) {
        best = withTrees;
        kept = trees(residuals);
      }
    }
    return new TargetCorrection(
        residuals.size(),
        kept.offsets,
        kept.trees,
        scales(best.residuals),
        BoundScale.of(best.residuals),
        before,
        best.meanSquare());
  }

  private static Map<String, BoundScale> scales(List<Residual> leftOut) {
    Map<String, List<Residual>> byPlatform =
        leftOut.stream()
            .collect(Collectors.groupingBy(Residual::platform, TreeMap::new, Collectors.toList()));
    Map<String, BoundScale> scales = new TreeMap<>();
    byPlatform.forEach((platform, errors) -> scales.put(platform, BoundScale.of(errors)));
    return scales;
  }

  private Fitted offsets(List<Residual> train) {
    return new Fitted(Offsets.fit(train), new BoostedTrees(List.of()));
  }

  private Fitted trees(List<Residual> train) {
    Offsets offsets = Offsets.fit(train);
    List<Residual> left = offsets.leave(train);
    return new Fitted(
        offsets,
        BoostedTrees.fit(
            left.stream().map(this::features).toArray(double[][]::new),
            left.stream().mapToDouble(Residual::error).toArray()));
  }

  private double[] features(Residual residual) {
    var row = residual.row();
    return QuestionFeatures.encode(
        row.features(),
        row.settings(),
        devices.require(row.device().value()),
        residual.base().mean());
  }

  /** Fits on some runs. */
  @FunctionalInterface
  private interface Fit {
    Fitted on(List<Residual> train);
  }

  private LeftOut leftOut(List<Residual> residuals, Fit fit) {
    List<String> units =
        residuals.stream().map(Residual::modelAtBatch).distinct().sorted().toList();
    Residual[] left = residuals.toArray(Residual[]::new);
    int folds = Math.min(FOLDS, units.size());
    for (int fold = 0; fold < folds; fold++) {
      List<Residual> train = new ArrayList<>();
      for (Residual residual : residuals) {
        if (!isIn(fold, folds, units, residual)) {
          train.add(residual);
        }
      }
      Fitted fitted = fit.on(train);
      for (int i = 0; i < left.length; i++) {
        if (isIn(fold, folds, units, residuals.get(i))) {
          left[i] = leave(fitted, residuals.get(i));
        }
      }
    }
    return new LeftOut(List.of(left));
  }

  private static boolean isIn(int fold, int folds, List<String> units, Residual residual) {
    return java.util.Collections.binarySearch(units, residual.modelAtBatch()) % folds == fold;
  }

  private Residual leave(Fitted fitted, Residual residual) {
    Residual left = fitted.offsets.leave(List.of(residual)).getFirst();
    return fitted.trees.trees().isEmpty()
        ? left
        : left.less(fitted.trees.predict(features(residual)));
  }
}
