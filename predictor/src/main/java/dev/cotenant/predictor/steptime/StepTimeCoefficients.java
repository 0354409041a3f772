package dev.cotenant.predictor.steptime;

/**
 * Coefficients of the step-time formula, the same for every network and device.
 *
 * @param computeEfficiency share of the dense peak rate that matrix operators reach
 * @param trafficFactor time of device memory over moved bytes at full bandwidth
 * @param reuse multiply-accumulates an output element below which operands bound tensor cores
 * @param overlapExponent exponent of the norm that adds arithmetic and traffic; 1 is sequential
 * @param trainingFactor device time of a training step over that of an inference batch
 */
public record StepTimeCoefficients(
    double computeEfficiency,
    double trafficFactor,
    double reuse,
    double overlapExponent,
    double trainingFactor) {
  /** Within the ranges that fits on timm, device by device, give. */
  public static final StepTimeCoefficients TYPICAL = new StepTimeCoefficients(0.8, 1.5, 112, 1, 4);

  public StepTimeCoefficients {
    for (double value :
        new double[] {computeEfficiency, trafficFactor, reuse, overlapExponent, trainingFactor}) {
      if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException("coefficients must be positive, one is " + value);
      }
    }
  }

  /** Natural logarithms of the coefficients, the parameters of the fit. */
  double[] logs() {
    return new double[] {
      Math.log(computeEfficiency),
      Math.log(trafficFactor),
      Math.log(reuse),
      Math.log(overlapExponent),
      Math.log(trainingFactor)
    };
  }

  static StepTimeCoefficients ofLogs(double[] logs) {
    return new StepTimeCoefficients(
        Math.exp(logs[0]),
        Math.exp(logs[1]),
        Math.exp(logs[2]),
        Math.exp(logs[3]),
        Math.exp(logs[4]));
  }
}
