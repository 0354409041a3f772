package dev.cotenant.predictor.steptime;

/**
 * Parts of the wall time of a step.
 *
 * @param gpuSeconds time that kernels run: arithmetic and memory traffic
 * @param launchSeconds time that the host needs to launch the operators
 * @param copySeconds time of the input copy, during which no kernel runs
 */
public record StepTime(double gpuSeconds, double launchSeconds, double copySeconds) {
  /** How sharply the longer of device and host hides the other: nearly the maximum. */
  private static final double HIDING_EXPONENT = 6;

  /** Wall time of the step: device or host, whichever is longer, and then the copy. */
  public double seconds() {
    return norm(gpuSeconds, launchSeconds, HIDING_EXPONENT) + copySeconds;
  }

  /** Share of the step in which kernels run, 0 to 1. */
  public double busyShare() {
    double all = seconds();
    return all == 0 ? 0 : gpuSeconds / all;
  }

  /** The sum for exponent 1, the larger towards infinity. */
  static double norm(double left, double right, double exponent) {
    double larger = Math.max(left, right);
    return larger == 0
        ? 0
        : larger
            * Math.pow(
                Math.pow(left / larger, exponent) + Math.pow(right / larger, exponent),
                1 / exponent);
  }
}
