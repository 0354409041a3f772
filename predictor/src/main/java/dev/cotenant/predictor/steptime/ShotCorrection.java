package dev.cotenant.predictor.steptime;

import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.profile.StepTimeRun;
import dev.cotenant.learning.linear.GaussianProcess;
import java.util.List;

/**
 * How a few measured runs of the same family or on the same device move predictions: a Gaussian
 * process on their log residuals, of a shift that all share and one that similar networks share.
 */
public final class ShotCorrection {
  private static final double SHARED_DEVIATION = 0.2;
  private static final double SIMILAR_DEVIATION = 0.25;
  private static final double NOISE_DEVIATION = 0.2;

  /** Residuals beyond a factor of e are a run's own. */
  private static final double CLIP = 1;

  private ShotCorrection() {}

  /**
   * A measured run.
   *
   * @param logRatio natural logarithm of measured over predicted seconds
   */
  public record Shot(StepTimeRun run, double logRatio) {}

  /** What to add to the log prediction of a run; 0 without any measured run. */
  public static double of(List<Shot> shots, StepTimeRun run) {
    int count = shots.size();
    double[][] covariance = new double[count][count];
    double[] ratios = new double[count];
    double[] toRun = new double[count];
    for (int i = 0; i < count; i++) {
      StepTimeRun own = shots.get(i).run;
      ratios[i] = Math.clamp(shots.get(i).logRatio, -CLIP, CLIP);
      toRun[i] = covariance(own, run);
      for (int j = 0; j < count; j++) {
        covariance[i][j] = covariance(own, shots.get(j).run);
      }
      covariance[i][i] += NOISE_DEVIATION * NOISE_DEVIATION;
    }
    return count == 0
        ? 0
        : GaussianProcess.fit(covariance, ratios, 0)
            .map(process -> process.mean(toRun))
            .orElse(0.0);
  }

  private static double covariance(StepTimeRun left, StepTimeRun right) {
    double[] from = position(left);
    double[] to = position(right);
    double square = 0;
    for (int i = 0; i < from.length; i++) {
      square += (from[i] - to[i]) * (from[i] - to[i]);
    }
    return SHARED_DEVIATION * SHARED_DEVIATION
        + SIMILAR_DEVIATION * SIMILAR_DEVIATION * Math.exp(-square / 2);
  }

  /** Reuse, work, outputs for each input, and parameters; each in units of what matters. */
  private static double[] position(StepTimeRun run) {
    StepWork work = run.work();
    double inputs = (double) run.network().inputs() * run.network().inputs();
    return new double[] {
      Math.log(work.macs() / work.matrixOutputs()),
      0.3 * Math.log(work.macs()),
      0.5 * Math.log(work.matrixOutputs() / inputs),
      0.2 * Math.log(work.parameters())
    };
  }
}
