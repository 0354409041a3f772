package dev.cotenant.predictor.hybrid.prior;

import dev.cotenant.domain.workload.Precision;

/**
 * Mean GPU utilization of a run from the time that the device needs for a step and the time that
 * the host keeps it waiting.
 *
 * <p>A few numbers describe how far device and host are from ideal. They are about the same for all
 * model families, which is why this carries over to families that were never measured, where trees
 * fail.
 *
 * @param slowdown device time over its time at peak rates
 * @param kernelMicros device time of a kernel however little it computes
 * @param launchMicros host time of a kernel launch that the device waits for
 * @param stepMillis host time of a step
 * @param sampleMicros host time of a sample: loading and collating
 * @param inputNanos host time of an input byte: copying
 * @param coupling how much device and launches keep each other waiting: 1 is one after the other,
 *     more is overlap, less is what jitter costs two that are about equally fast
 */
public record UtilizationPrior(
    double slowdown,
    double kernelMicros,
    double launchMicros,
    double stepMillis,
    double sampleMicros,
    double inputNanos,
    double coupling)
    implements Prior {
  // t = slowdown · (arithmetic + traffic + optimizer) + kernel · K
  // l = launch · K
  // h = step + sample · batch + input · bytes
  // utilization = 97 · t / ((t^coupling + l^coupling)^(1 / coupling) + h)
  /** What nvidia-smi and DCGM read of a device that is never idle, in percent. */
  private static final double MAX_PERCENT = 97;

  /**
   * Start of a fit and its prior belief: plain eager execution on a current host. A kernel takes at
   * least 2 µs; a counted layer launches three, while bias gradients, clearing of gradients and the
   * optimizer's updates of two tensors launch some six more: three for each counted one.
   */
  public static final UtilizationPrior TYPICAL = new UtilizationPrior(1.5, 6, 10, 0.5, 0.5, 0.3, 1);

  /** The same where device time and operators are those of the step-time formula. */
  public static final UtilizationPrior EAGER = new UtilizationPrior(1, 4, 10, 0.5, 0.5, 0.3, 1.5);

  /** A factor of two for what hardware decides, of e for what a host's program does. */
  private static final double HARDWARE_DEVIATION = 0.7;

  private static final double HOST_DEVIATION = 1;

  /** Hosts lie so much further apart than a belief in the typical one may be wrong. */
  private static final double HOSTS_APART = 2;

  private static final double NO_DEVIATION = 1e-3;

  @Override
  public UtilizationPrior withLogarithms(double[] logarithms) {
    return (UtilizationPrior) Prior.super.withLogarithms(logarithms);
  }

  @Override
  public UtilizationPrior withCoefficients(double[] values) {
    return new UtilizationPrior(
        values[0], values[1], values[2], values[3], values[4], values[5], values[6]);
  }

  @Override
  public double[] coefficients() {
    return new double[] {
      slowdown, kernelMicros, launchMicros, stepMillis, sampleMicros, inputNanos, coupling
    };
  }

  @Override
  public double[] deviations() {
    return new double[] {
      HARDWARE_DEVIATION,
      HARDWARE_DEVIATION,
      HARDWARE_DEVIATION,
      HOST_DEVIATION,
      HOST_DEVIATION,
      HOST_DEVIATION,
      HARDWARE_DEVIATION
    };
  }

  /**
   * How far the logarithm of each coefficient of a device with its host may well lie from what
   * devices have in common. Rates of device time follow from catalogue numbers and do not differ.
   */
  public static double[] hostDeviations() {
    double launch = HOSTS_APART * HARDWARE_DEVIATION;
    double program = HOSTS_APART * HOST_DEVIATION;
    return new double[] {
      NO_DEVIATION, HARDWARE_DEVIATION, launch, program, program, program, NO_DEVIATION
    };
  }

  /** Networks and the programs that train them differ as much as hosts do. */
  @Override
  public double[] variations() {
    return deviations();
  }

  /** How busy kernels keep a device depends on how large they are. */
  @Override
  public int covariates() {
    return Covariates.count();
  }

  @Override
  public boolean isCorrected(Run run) {
    return run.trains() && run.settings().precision() == Precision.FP32;
  }

  /** log1p of the utilization in percent. */
  @Override
  public double log(Run run) {
    StepCost cost = run.cost();
    return Math.log1p(MAX_PERCENT * deviceSeconds(cost) / stepSeconds(run));
  }

  /** How long a step takes. */
  private double stepSeconds(Run run) {
    StepCost cost = run.cost();
    return coupled(deviceSeconds(cost), launchSeconds(cost)) + hostSeconds(cost);
  }

  private double coupled(double device, double launch) {
    return Math.pow(Math.pow(device, coupling) + Math.pow(launch, coupling), 1 / coupling);
  }

  private double deviceSeconds(StepCost cost) {
    return slowdown * cost.deviceSeconds() + kernelMicros * 1e-6 * cost.kernels();
  }

  private double launchSeconds(StepCost cost) {
    return launchMicros * 1e-6 * cost.kernels();
  }

  private double hostSeconds(StepCost cost) {
    return stepMillis * 1e-3
        + sampleMicros * 1e-6 * cost.batch()
        + inputNanos * 1e-9 * cost.inputBytes();
  }

  @Override
  public double[] gradient(Run run) {
    StepCost cost = run.cost();
    double device = deviceSeconds(cost);
    double launch = launchSeconds(cost);
    double both = coupled(device, launch);
    double whole = both + hostSeconds(cost);
    double outer = MAX_PERCENT / (whole * whole) / (1 + MAX_PERCENT * device / whole);
    double byDevice = outer * (whole - device * Math.pow(device / both, coupling - 1));
    double byWhole = -outer * device;
    double byLaunch = byWhole * Math.pow(launch / both, coupling - 1);
    return new double[] {
      byDevice * slowdown * cost.deviceSeconds(),
      byDevice * kernelMicros * 1e-6 * cost.kernels(),
      byLaunch * launch,
      byWhole * stepMillis * 1e-3,
      byWhole * sampleMicros * 1e-6 * cost.batch(),
      byWhole * inputNanos * 1e-9 * cost.inputBytes(),
      byWhole * byCoupling(device, launch, both)
    };
  }

  /** Derivative of {@link #coupled} by the logarithm of the coupling. */
  private double byCoupling(double device, double launch, double both) {
    double deviceShare = Math.pow(device / both, coupling);
    double launchShare = Math.pow(launch / both, coupling);
    return both * (deviceShare * Math.log(device / both) + launchShare * Math.log(launch / both));
  }
}
