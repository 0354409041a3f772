package dev.cotenant.predictor.steptime;

import dev.cotenant.domain.profile.StepTimeRun;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Step time of several MPS copies of one network in the same part of a device: copies use what one
 * leaves idle; once the part is always busy, they wait for each other. Immutable.
 *
 * @param device share of one copy's device time that the others wait for
 * @param copy share of its input copy that the others wait for
 * @param exponent how sharply waiting begins
 */
public record MpsCopies(double device, double copy, double exponent) {
  // t(n) = ‖ t(1) , n · (a · G + e · x · b) ‖_p

  /** Of vision networks on an A100 [ParvaGPU]. */
  public static final MpsCopies TYPICAL = new MpsCopies(0.93, 0.82, 7.8);

  private static final double PULL = 0.5;

  /**
   * What one copy does alone.
   *
   * @param seconds of a step
   * @param parts what the step consists of
   */
  public record Solo(double seconds, StepTime parts) {}

  /**
   * Fits to measured copies, given the solo times; coefficients that they do not determine stay at
   * {@code before}.
   */
  public static MpsCopies of(List<StepTimeRun> runs, ToSolo solo, MpsCopies before) {
    double[] logs =
        RobustLogFit.pulledAlike(before.logs(), PULL)
            .fit(at -> {
              MpsCopies copies = ofLogs(at);
              ToDoubleFunction<StepTimeRun> residual =
                  run -> Math.log(copies.seconds(solo.of(run), run.copies()) / run.seconds());
              return runs.stream().mapToDouble(residual).toArray();
            });
    return ofLogs(logs);
  }

  /** Finds what one copy of a run does alone. */
  @FunctionalInterface
  public interface ToSolo {
    Solo of(StepTimeRun run);
  }

  private double[] logs() {
    return new double[] {Math.log(device), Math.log(copy), Math.log(exponent)};
  }

  private static MpsCopies ofLogs(double[] logs) {
    return new MpsCopies(Math.exp(logs[0]), Math.exp(logs[1]), Math.exp(logs[2]));
  }

  /** Seconds per step of each copy. */
  public double seconds(Solo solo, int copies) {
    double busy = device * solo.parts.gpuSeconds() + copy * solo.parts.copySeconds();
    return copies == 1
        ? solo.seconds
        : Math.min(
            upperSeconds(solo.seconds, copies),
            StepTime.norm(solo.seconds, copies * busy, exponent));
  }

  /** A bound without coefficients: copies are never slower than one after the other. */
  public static double upperSeconds(double solo, int copies) {
    return copies * solo;
  }
}
