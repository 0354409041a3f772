package dev.cotenant.interference.training;

/**
 * Normalised speed of a training job beside another as a formula of what both use alone.
 *
 * @param coefficients of u·u', max(0, u+u'−1), g·g', u·g', g·u', u', g', u and g, all as fractions
 * @param constant where nothing is used
 */
@SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
public record ProductFormula(double[] coefficients, double constant) {
  private static final double SLOWEST = 0.2;

  /** The products for utilizations u, u' and bandwidths g, g' as fractions. */
  public static double[] products(double u, double other, double g, double otherG) {
    return new double[] {
      u * other, Math.max(0, u + other - 1), g * otherG, u * otherG, g * other, other, otherG, u, g
    };
  }

  /** Normalised speed of the own job, 0.2 to 1. */
  public double speed(double u, double other, double g, double otherG) {
    double[] products = products(u, other, g, otherG);
    double sum = constant;
    for (int i = 0; i < products.length; i++) {
      sum += coefficients[i] * products[i];
    }
    return Math.clamp(sum, SLOWEST, 1);
  }
}
