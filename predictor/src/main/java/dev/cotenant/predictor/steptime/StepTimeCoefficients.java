package dev.cotenant.predictor.steptime;

/**
 * Coefficients of the step-time formula, the same for every network and device.
 *
 * @param computeEfficiency share of the dense peak rate that matrix operators reach
 * @param trafficFactor time of device memory over moved bytes at full bandwidth
 * @param reuse multiply-accumulates an output element below which operands bound the rate
 * @param overlapExponent of the norm that adds arithmetic and traffic; 1 is one after the other
 * @param unfilledSamples samples that a batch pays for tiles and waves that it does not fill
 * @param launchMicros host time of an operator
 * @param hostBytesPerSecond rate of copies from pageable host memory
 * @param trainingFactor device time of a training step over that of an inference batch
 */
public record StepTimeCoefficients(
    double computeEfficiency,
    double trafficFactor,
    double reuse,
    double overlapExponent,
    double unfilledSamples,
    double launchMicros,
    double hostBytesPerSecond,
    double trainingFactor) {
  public static final StepTimeCoefficients TYPICAL =
      new StepTimeCoefficients(0.8, 1.3, 112, 1.12, 0.9, 28, 6.5e9, 4);

  public StepTimeCoefficients {
    double[] all = {
      computeEfficiency,
      trafficFactor,
      reuse,
      overlapExponent,
      unfilledSamples,
      launchMicros,
      hostBytesPerSecond,
      trainingFactor
    };
    for (double value : all) {
      if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException("coefficients must be finite and at least 0: " + value);
      }
    }
  }
}
