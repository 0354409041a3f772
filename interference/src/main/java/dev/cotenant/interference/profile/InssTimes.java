package dev.cotenant.interference.profile;

import dev.cotenant.interference.solo.LocallyWeightedRegression;
import dev.cotenant.interference.solo.SoloPoint;
import java.util.List;

/**
 * What InSS knows of a workload alone beyond iGniter's coefficients [InSS, section 4.1].
 *
 * @param activeTime o^r over batch and share, from sixteen points by its protocol
 * @param l2Slope α^u, percent of L2 for each percent of share
 * @param l2Intercept β^u, percent of L2
 */
public record InssTimes(LocallyWeightedRegression activeTime, double l2Slope, double l2Intercept) {
  public InssTimes {
    Check.finite("l2Slope", l2Slope);
    Check.finite("l2Intercept", l2Intercept);
  }

  /**
   * Through these points.
   *
   * @throws dev.cotenant.domain.InputException ({@code profile-fit-failed}) with fewer than eight
   */
  public static InssTimes of(List<SoloPoint> points, double l2Slope, double l2Intercept) {
    return new InssTimes(LocallyWeightedRegression.of(points).require(), l2Slope, l2Intercept);
  }
}
