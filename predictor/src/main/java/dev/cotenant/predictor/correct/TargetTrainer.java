package dev.cotenant.predictor.correct;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.learning.trees.BoostedTrees;
import dev.cotenant.learning.trees.BoostingLearner;
import dev.cotenant.learning.trees.BoostingSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Learns the correction of one target from residuals; each step must lower the cross-validated
 * error.
 */
final class TargetTrainer {
  /*
   * Ten folds; all batches of one model on one platform that ran at one batch are in one fold. What
   * hosts take is a posterior, which shrinks itself and needs no other proof (ADR 27). Offsets
   * are chosen when they lower the squared error of left-out runs by more than a standard error of that
   * gain, trees when they lower it further by more than one. What is chosen is fitted again on all runs;
   * the left-out errors give the scale of the bounds.
   */
  static final int MIN_RUNS_FOR_TREES = 200;

  /** Small steps on shallow trees: a few hundred rows carry no more [Friedman 2001, section 5]. */
  private static final BoostingSettings TREES = new BoostingSettings(80, 3, 0.1, 1, 1, 10, 0);

  private static final int FOLDS = 10;
  private static final double CAUTION = 1.0;

  /** Trees see all rows and features, so that it changes nothing. */
  private static final long SEED = 0;

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

  /** Result of fitting to some runs. */
  private record Fitted(
      Map<String, ProcessBaseline> contexts, Offsets offsets, BoostedTrees trees) {
    static final Fitted NONE = of(Map.of());

    static Fitted of(Map<String, ProcessBaseline> contexts) {
      return new Fitted(contexts, Offsets.NONE, TargetCorrection.NO_TREES);
    }
  }

  /** Of a target that hosts have no part in. */
  TargetCorrection fit(List<Residual> residuals) {
    return residuals.isEmpty()
        ? TargetCorrection.NONE
        : fit(residuals, new LeftOut(residuals), _ -> Fitted.NONE);
  }

  /** For a target with a host-dependent part; the base predicted as for a measured host. */
  TargetCorrection fitOnHosts(List<Residual> residuals) {
    Set<String> platforms = residuals.stream().map(Residual::platform).collect(Collectors.toSet());
    Fit contexts = train -> Fitted.of(ProcessBaseline.of(platforms, train));
    return residuals.isEmpty()
        ? TargetCorrection.NONE
        : fit(residuals, leftOut(residuals, contexts), contexts);
  }

  private TargetCorrection fit(List<Residual> residuals, LeftOut first, Fit start) {
    LeftOut best = first;
    Fitted chosen = start.on(residuals);
    LeftOut withOffsets = leftOut(residuals, train -> offsets(start.on(train), train));
    if (withOffsets.surelyBetterThan(best)) {
      best = withOffsets;
      chosen = offsets(start.on(residuals), residuals);
    }
    if (residuals.size() >= MIN_RUNS_FOR_TREES) {
      LeftOut withTrees = leftOut(residuals, train -> trees(start.on(train), train));
      if (withTrees.surelyBetterThan(best)) {
        best = withTrees;
        chosen = trees(start.on(residuals), residuals);
      }
    }
    return new TargetCorrection(
        residuals.size(),
        chosen.contexts,
        chosen.offsets,
        chosen.trees,
        scales(best.residuals),
        BoundScale.of(best.residuals),
        new LeftOut(residuals).meanSquare(),
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

  private static Fitted offsets(Fitted before, List<Residual> train) {
    Offsets offsets = Offsets.fit(onHosts(before, train));
    return new Fitted(before.contexts, offsets, before.trees);
  }

  private static List<Residual> onHosts(Fitted fitted, List<Residual> residuals) {
    return residuals.stream().map(residual -> onHost(fitted, residual)).toList();
  }

  private static Residual onHost(Fitted fitted, Residual residual) {
    ProcessBaseline context = fitted.contexts.get(residual.platform());
    return context == null ? residual : residual.on(context);
  }

  private Fitted trees(Fitted before, List<Residual> train) {
    List<Residual> moved = onHosts(before, train);
    Offsets offsets = Offsets.fit(moved);
    List<Residual> left = offsets.leave(moved);
    return new Fitted(
        before.contexts,
        offsets,
        new BoostingLearner(left.stream().map(this::features).toArray(float[][]::new))
            .fit(left.stream().mapToDouble(Residual::error).toArray(), TREES, SEED));
  }

  private float[] features(Residual residual) {
    var row = residual.row();
    return RequestFeatures.encode(
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
    Residual moved = onHost(fitted, residual);
    Residual left = fitted.offsets.leave(List.of(moved)).getFirst();
    return fitted.trees.size() == 0 ? left : left.less(fitted.trees.predict(features(moved)));
  }
}
