package dev.cotenant.predictor.steptime;

import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.learning.trees.BoostedTrees;
import dev.cotenant.learning.trees.BoostingLearner;
import dev.cotenant.learning.trees.BoostingSettings;
import dev.cotenant.learning.trees.Loss;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/**
 * What boosted trees add to the formula where only totals of a network are known: log residuals on
 * ratios of its amounts. Immutable.
 */
public final class ResidualTrees {
  /** Residuals beyond a factor of two say more about a network's quirks than about amounts. */
  private static final double CLIP = 0.7;

  private static final int IMAGE_CHANNELS = 3;

  private static final int SEEDS = 3;

  /** A little below the median: overestimates weigh more in relative errors. */
  private static final BoostingSettings SETTINGS =
      new BoostingSettings(400, 8, 0.05, 0.7, 0.5, 8, 1, 20, new Loss.Pinball(0.46));

  private final StepTimeFormula formula;
  private final BoostedTrees trees;

  private ResidualTrees(StepTimeFormula formula, BoostedTrees trees) {
    this.formula = formula;
    this.trees = trees;
  }

  /** Learns from runs of whole devices. */
  public static ResidualTrees of(StepTimeFormula formula, List<StepTimeRun> runs, long seed) {
    float[][] rows = runs.stream().map(run -> vector(formula, run)).toArray(float[][]::new);
    double[] residuals =
        runs.stream()
            .mapToDouble(run -> Math.log(run.seconds() / FormulaFit.stepSeconds(formula, run)))
            .map(residual -> Math.clamp(residual, -CLIP, CLIP))
            .toArray();
    double[] weights = new double[rows.length];
    Arrays.fill(weights, 1);
    BoostingLearner learner = new BoostingLearner(rows, weights);
    List<BoostedTrees> trees =
        LongStream.range(seed, seed + SEEDS)
            .mapToObj(each -> learner.fit(residuals, SETTINGS, each))
            .toList();
    return new ResidualTrees(formula, BoostedTrees.mean(trees));
  }

  /** Natural logarithm of the seconds of a step. */
  public double logSeconds(StepTimeRun run) {
    return Math.log(FormulaFit.stepSeconds(formula, run)) + trees.predict(vector(formula, run));
  }

  /** Ratios of amounts, and how much device there is for them. */
  private static float[] vector(StepTimeFormula formula, StepTimeRun run) {
    StepWork work = run.work();
    DevicePart part = run.part();
    Precision precision = run.settings().precision();
    double inputs = (double) IMAGE_CHANNELS * run.network().inputs() * run.network().inputs();
    double arithmetic = formula.arithmeticSeconds(work, precision, part);
    double traffic = formula.trafficSeconds(work, precision, part);
    return new float[] {
      log(arithmetic / traffic),
      log(work.macs() / work.matrixOutputs()),
      log(work.matrixOutputs() / inputs),
      log(work.macs() / inputs),
      log(work.macs() / work.parameters()),
      log(work.matrixOutputs() / work.parameters()),
      log(work.parameters()),
      log(inputs),
      log(work.batch()),
      log((arithmetic + traffic) / work.batch())
    };
  }

  private static float log(double ratio) {
    return (float) Math.log(Math.clamp(ratio, 1e-12, 1e15));
  }
}
