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
  /** Properties that the measured runs share with the predicted run. */
  public enum Group {
    /** Their family: similar networks err alike. */
    FAMILY(0.2, 0.25, 0.2),
    /** Their device: all err alike, each network in its own way. */
    DEVICE(0.3, 0.15, 0.3);

    private final double shared;
    private final double similar;
    private final double noise;

    /** Standard deviations of log residuals. */
    Group(double shared, double similar, double noise) {
      this.shared = shared;
      this.similar = similar;
      this.noise = noise;
    }

    private double covariance(StepTimeRun left, StepTimeRun right) {
      return shared * shared + similar * similar * similarity(left, right);
    }
  }

  /** Residuals beyond a factor of e are a run's own. */
  private static final double CLIP = 1;

  private ShotCorrection() {}

  /**
   * A measured run.
   *
   * @param logRatio natural logarithm of measured over predicted seconds
   */
  public record Shot(StepTimeRun run, double logRatio) {}

  /** Correction of a run's log prediction; 0 without measured runs. */
  public static double of(Group group, List<Shot> shots, StepTimeRun run) {
    int count = shots.size();
    double[][] covariance = new double[count][count];
    double[] ratios = new double[count];
    double[] toRun = new double[count];
    for (int i = 0; i < count; i++) {
      StepTimeRun own = shots.get(i).run;
      ratios[i] = Math.clamp(shots.get(i).logRatio, -CLIP, CLIP);
      toRun[i] = group.covariance(own, run);
      for (int j = 0; j < count; j++) {
        covariance[i][j] = group.covariance(own, shots.get(j).run);
      }
      covariance[i][i] += group.noise * group.noise;
    }
    return count == 0
        ? 0
        : GaussianProcess.fit(covariance, ratios, 0)
            .map(process -> process.mean(toRun))
            .orElse(0.0);
  }

  private static double similarity(StepTimeRun left, StepTimeRun right) {
    double[] from = position(left);
    double[] to = position(right);
    double square = 0;
    for (int i = 0; i < from.length; i++) {
      square += (from[i] - to[i]) * (from[i] - to[i]);
    }
    return Math.exp(-square / 2);
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
