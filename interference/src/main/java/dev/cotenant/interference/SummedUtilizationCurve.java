package dev.cotenant.interference;

import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;

/**
 * Slowdown of colocated training jobs as a curve over the sum of their solo utilizations.
 *
 * <p>Range 1 to 1.96 for sums up to 200 %, on which it was fitted. It ignores memory bandwidth and
 * which job suffers; expect errors around 0.17 in normalised speed on the devices of the fit, 0.07
 * on Lucid's RTX 3090.
 */
public final class SummedUtilizationCurve {
  /*
   * Idea: [UtilPred, section 6] shows over 276 pairs that the slowdown of colocated training jobs
   * grows with the sum of their utilizations, but prints the figure without numbers. Jobs that are
   * busy a share u and u' of the time want the device at the same time for u u' of it, if their
   * steps are independent; for jobs alike that is (s/2)^2 with the sum s. Normalised speed is then
   *
   *   1 - LOST (s/2)^2,
   *
   * where LOST is the speed that two jobs lose that are always busy: 0.5 if they take turns. It is
   * the one number here, of least squares on the 680 jobs in pairs published with Gavel (OSDI'20,
   * MIT License; P100 0.40, V100 0.60), with the utilization that the shipped predictor expects of
   * their graphs; InterferenceBarsTest fits it again. No pair there has a sum below 100 %: lower
   * sums rest on the form. Lucid's pairs (RTX 3090), from which nothing is learned, judge it:
   *
   *   sum %                          < 50   50-80  80-100  100-130  130-160  > 160
   *   slower job's speed, measured   .969    .944    .931     .879     .773    .656
   *   curve                          .983    .945    .900     .838     .749    .618
   *
   * Beyond 200 % slowdown goes on along the tangent, which is more than taking turns costs. O(1).
   */
  private static final double LOST = 0.49;

  private static final double LAST = 2;
  private static final double SLOWDOWN_AT_LAST = 1 / (1 - LOST);
  private static final double SLOPE_AT_LAST = LOST * SLOWDOWN_AT_LAST * SLOWDOWN_AT_LAST;

  /**
   * The slowdown of the job that suffers most; a larger sum never gives a smaller one.
   *
   * @param summedUtilization the solo utilizations of all jobs, at least two
   */
  public Slowdown slowdown(SummedUtilization summedUtilization) {
    double sum = summedUtilization.percent() / 100;
    return Slowdown.ofRatio(
        sum <= LAST
            ? 1 / (1 - LOST * sum * sum / 4)
            : SLOWDOWN_AT_LAST + SLOPE_AT_LAST * (sum - LAST));
  }

  /** The largest sum at which no workload is slowed down more, rounding aside. */
  public SummedUtilization mostWithin(Slowdown limit) {
    double sum =
        limit.ratio() <= SLOWDOWN_AT_LAST
            ? 2 * Math.sqrt((1 - 1 / limit.ratio()) / LOST)
            : LAST + (limit.ratio() - SLOWDOWN_AT_LAST) / SLOPE_AT_LAST;
    return SummedUtilization.ofPercent(100 * sum);
  }
}
