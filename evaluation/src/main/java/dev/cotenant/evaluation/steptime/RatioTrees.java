package dev.cotenant.evaluation.steptime;

import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.learning.trees.BoostedTrees;
import dev.cotenant.learning.trees.BoostingLearner;
import dev.cotenant.learning.trees.BoostingSettings;
import dev.cotenant.learning.trees.Loss;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;

/** A training step from the inference time of the same network on the same device. */
record RatioTrees(BoostedTrees trees, UnaryOperator<StepTimeRun> inference) {
  private static final BoostingSettings SETTINGS =
      new BoostingSettings(250, 6, 0.05, 0.7, 0.5, 4, 1, 10, new Loss.Pinball(0.48));

  static RatioTrees of(List<StepTimeRun> train, UnaryOperator<StepTimeRun> inference) {
    float[][] rows =
        train.stream().map(run -> vector(run, inference.apply(run))).toArray(float[][]::new);
    double[] ratios =
        train.stream()
            .mapToDouble(
                run -> Math.log(run.secondsPerSample() / inference.apply(run).secondsPerSample()))
            .toArray();
    double[] weights = new double[rows.length];
    Arrays.fill(weights, 1);
    return new RatioTrees(new BoostingLearner(rows, weights).fit(ratios, SETTINGS, 1), inference);
  }

  private static float[] vector(StepTimeRun run, StepTimeRun served) {
    StepWork work = run.work();
    double seconds = served.secondsPerSample();
    return new float[] {
      (float) Math.log(work.macs() / work.matrixOutputs()),
      (float) Math.log(work.macs() / work.parameters()),
      (float) Math.log(work.matrixOutputs() / seconds),
      (float) Math.log(work.macs() / seconds),
      (float) Math.log(work.parameters()),
      (float) Math.log(work.batch()),
      (float) Math.log(run.network().inputs()),
      (float) Math.log(seconds)
    };
  }

  double logSeconds(StepTimeRun run) {
    StepTimeRun served = inference.apply(run);
    return Math.log(served.secondsPerSample() * run.work().batch())
        + trees.predict(vector(run, served));
  }
}
