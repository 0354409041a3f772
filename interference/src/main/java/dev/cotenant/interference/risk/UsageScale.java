package dev.cotenant.interference.risk;

import dev.cotenant.interference.training.ProductFormula;
import dev.cotenant.learning.linear.Standardisation;
import java.util.Arrays;
import java.util.List;

/**
 * Standardisation of the nine products of utilization u and bandwidth g of a victim and of the sums
 * u', g' of its aggressors: u·u', max(0, u+u'−1), g·g', u·g', g·u', u', g', u, g.
 *
 * @param means subtracted from each
 * @param deviations each is divided by, positive
 */
public record UsageScale(List<Double> means, List<Double> deviations) {
  static final int PRODUCTS = 9;
  private static final double MIN = 1e-6;

  /** Moments of the nine products where utilizations and bandwidths are uniform in 0 to 1. */
  public static final UsageScale UNIFORM =
      new UsageScale(
          List.of(0.25, 1 / 6.0, 0.25, 0.25, 0.25, 0.5, 0.5, 0.5, 0.5),
          List.of(0.22, 0.236, 0.22, 0.22, 0.22, 0.289, 0.289, 0.289, 0.289));

  public UsageScale {
    means = List.copyOf(means);
    deviations = List.copyOf(deviations);
    boolean isFinite = means.stream().allMatch(Double::isFinite);
    boolean isPositive = deviations.stream().allMatch(d -> d >= MIN && Double.isFinite(d));
    if (means.size() != PRODUCTS || deviations.size() != PRODUCTS || !isFinite || !isPositive) {
      throw new IllegalArgumentException(
          "a scale has " + PRODUCTS + " finite means and deviations of at least " + MIN);
    }
  }

  /** Scale of measured colocations, at least one. */
  public static UsageScale of(List<VictimColocation> measured) {
    Standardisation standard =
        Standardisation.of(measured.stream().map(UsageScale::products).toArray(double[][]::new));
    return new UsageScale(
        Arrays.stream(standard.means()).boxed().toList(),
        Arrays.stream(standard.deviations()).map(d -> d < MIN ? 1 : d).boxed().toList());
  }

  double standardised(int product, double value) {
    return (value - means.get(product)) / deviations.get(product);
  }

  static double[] products(VictimColocation colocation) {
    double other = colocation.aggressors().stream().mapToDouble(SharedJob::utilization).sum();
    double otherBandwidth =
        colocation.aggressors().stream().mapToDouble(SharedJob::bandwidth).sum();
    SharedJob own = colocation.victim();
    return ProductFormula.products(own.utilization(), other, own.bandwidth(), otherBandwidth);
  }
}
