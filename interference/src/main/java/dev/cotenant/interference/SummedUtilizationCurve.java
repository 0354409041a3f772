package dev.cotenant.interference;

import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;

/**
 * Slowdown of colocated training jobs as a curve over the sum of their solo utilizations.
 *
 * <p>Range 1 to 2.35 for sums up to 300 %. It knows nothing of memory bandwidth or of which job
 * suffers; expect errors around 0.08 in normalised speed.
 */
public final class SummedUtilizationCurve {
  /*
   * Idea: [UtilPred, section 6] shows over 276 pairs that the slowdown of colocated training jobs
   * grows with the sum of their utilizations, but prints the figure without numbers. The numbers
   * here are the mean normalised speed of the slower job of each pair in the colocation
   * measurements published with Lucid (ASPLOS'23, RTX 3090, 830 pairs), in bins of the sum:
   *
   *   sum %      < 50   50-80  80-100  100-130  130-160  > 160
   *   speed      .961    .944    .930     .874     .756    .643
   *
   * Each bin stands at its middle (the open ones at 35 and 180), slowdown is 1 / speed, between the
   * points it is linear, below the first it falls to 1 at a sum of 0, and beyond the last it goes
   * on with the slope of the last piece. O(number of points).
   */
  private static final double[] SUM_PERCENT = {0, 35, 65, 90, 115, 145, 180};
  private static final double[] SLOWER_JOB_SPEED = {1, .961, .944, .930, .874, .756, .643};

  /**
   * The slowdown of the job that suffers most; a larger sum never gives a smaller one.
   *
   * @param summedUtilization the solo utilizations of all jobs, at least two
   */
  public Slowdown slowdown(SummedUtilization summedUtilization) {
    double sum = summedUtilization.percent();
    int right = 1;
    while (right < SUM_PERCENT.length - 1 && SUM_PERCENT[right] < sum) {
      right++;
    }
    double step = SUM_PERCENT[right] - SUM_PERCENT[right - 1];
    double rise = slowdownAt(right) - slowdownAt(right - 1);
    return Slowdown.ofRatio(slowdownAt(right - 1) + rise * (sum - SUM_PERCENT[right - 1]) / step);
  }

  /** The largest sum at which no workload is slowed down more, rounding aside. */
  public SummedUtilization mostWithin(Slowdown limit) {
    int right = 1;
    while (right < SUM_PERCENT.length - 1 && slowdownAt(right) < limit.ratio()) {
      right++;
    }
    double step = SUM_PERCENT[right] - SUM_PERCENT[right - 1];
    double rise = slowdownAt(right) - slowdownAt(right - 1);
    return SummedUtilization.ofPercent(
        SUM_PERCENT[right - 1] + (limit.ratio() - slowdownAt(right - 1)) * step / rise);
  }

  private static double slowdownAt(int point) {
    return 1 / SLOWER_JOB_SPEED[point];
  }
}
