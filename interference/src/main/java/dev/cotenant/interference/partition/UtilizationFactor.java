package dev.cotenant.interference.partition;

import dev.cotenant.learning.linear.LeastSquares;
import java.util.Optional;

/**
 * gpu-lets' interference factor of two models [gpu-lets, section 4.4]: linear in both models' L2
 * and memory-bandwidth utilization, at least 1.
 *
 * <p>Its authors report 90 % of cases within 10.26 % and 95 % within 13.98 %.
 *
 * @param ownL2 c1, for each unit of the own L2 utilization
 * @param otherL2 c2
 * @param ownBandwidth c3
 * @param otherBandwidth c4
 * @param constant c5
 */
public record UtilizationFactor(
    double ownL2, double otherL2, double ownBandwidth, double otherBandwidth, double constant) {
  /** The constants that the authors published for an RTX 2080 Ti. */
  public static final UtilizationFactor RTX_2080_TI =
      new UtilizationFactor(
          0.11290838746224496,
          0.7159598718755424,
          0.35486591956022895,
          0.0882038259888065,
          0.8953693917277343);

  /**
   * Solo utilizations as fractions, at the given partition (p × those of the whole GPU).
   *
   * @param l2Fraction 0 to 1
   * @param bandwidthFraction 0 to 1
   */
  public record Usage(double l2Fraction, double bandwidthFraction) {
    /** Usage in a partition, scaled from the whole GPU's [gpu-lets, section 4.4]. */
    public Usage atShare(double sharePercent) {
      return new Usage(l2Fraction * sharePercent / 100, bandwidthFraction * sharePercent / 100);
    }
  }

  /** One measured pair. */
  public record Case(Usage own, Usage other, double slowdown) {}

  /** The slowdown of {@code own}, at least 1. */
  public double of(Usage own, Usage other) {
    return Math.max(
        1,
        ownL2 * own.l2Fraction()
            + otherL2 * other.l2Fraction()
            + ownBandwidth * own.bandwidthFraction()
            + otherBandwidth * other.bandwidthFraction()
            + constant);
  }

  /** Refits all five constants by least squares; empty when the cases do not determine them. */
  public static Optional<UtilizationFactor> fit(java.util.List<Case> cases) {
    double[][] rows = new double[cases.size()][];
    double[] targets = new double[cases.size()];
    for (int i = 0; i < rows.length; i++) {
      Case one = cases.get(i);
      rows[i] =
          new double[] {
            one.own().l2Fraction(),
            one.other().l2Fraction(),
            one.own().bandwidthFraction(),
            one.other().bandwidthFraction(),
            1
          };
      targets[i] = one.slowdown();
    }
    return LeastSquares.linear(rows, targets)
        .map(c -> new UtilizationFactor(c[0], c[1], c[2], c[3], c[4]));
  }
}
