package dev.cotenant.predictor.cache;

import dev.cotenant.domain.prediction.CalibrationGroup;
import dev.cotenant.learning.quantile.Quantiles;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far from one another runs of one configuration come out, over all configurations of a
 * cluster, in log space.
 *
 * @param above what the next run is above its estimate by at most, in 90 % of cases
 * @param below the same below it
 * @param checks repetitions that were compared with earlier runs
 */
record Repeatability(double above, double below, int checks) {
  /*
   * Each repetition is a check: what came, less what the runs before it had let expect. Bounds are
   * the split-conformal quantiles of these [Lei et al., 2018]: of n the ceil((n + 1) · 0.9)-th. A
   * configuration gives its newest CHECKS at most, so that one that comes every hour is not all.
   *
   * Until a cluster has repetitions of its own those of a public set stand in, and they fade as its
   * own become more: SPREAD's, 37 configurations of training jobs that ran two to six times alone
   * on an RTX 2080 Ti, up to half a year apart. Here are twenty quantiles of the absolute
   * deviations of log1p percent, each configuration counting once; later runs are as likely higher as
   * lower, so that they count with both signs. A tenth is off by 20 % and more: the same
   * configuration was once measured at 66 and later at 88 %. Peaks of memory repeated to 0.3 %
   * there; a window of ten minutes need not show the peak, so that 5 % are assumed.
   */
  static final double COVERAGE = 0.9;

  private static final int CHECKS = 5;
  private static final double[] UTILIZATION = {
    .000, .001, .002, .004, .006, .008, .009, .014, .016, .019, .024, .025, .054, .085, .108, .118,
    .128, .202, .408, .625
  };
  private static final double MIN_UTILIZATION = 0.03;
  private static final double[] MEMORY = {.05, .05, .05, .05, .05, .05, .05, .05, .05, .05};
  private static final double MIN_MEMORY = 0.02;

  static Repeatability ofUtilization(Collection<RunHistory> histories) {
    return of(histories, UTILIZATION, MIN_UTILIZATION);
  }

  static Repeatability ofMemory(Collection<RunHistory> histories) {
    return of(histories, MEMORY, MIN_MEMORY);
  }

  private static Repeatability of(
      Collection<RunHistory> histories, double[] elsewhere, double least) {
    List<Double> above = new ArrayList<>();
    histories.forEach(history -> above.addAll(history.surprises(CHECKS)));
    int checks = above.size();
    for (double deviation : elsewhere) {
      above.add(deviation);
      above.add(-deviation);
    }
    List<Double> below = above.stream().map(surprise -> -surprise).toList();
    return new Repeatability(
        Math.max(least, quantile(above)), Math.max(least, quantile(below)), checks);
  }

  /** The repetitions on this cluster; null without any. */
  @Nullable CalibrationGroup group() {
    return checks == 0 ? null : new CalibrationGroup("repeated runs on this cluster", checks);
  }

  private static double quantile(List<Double> surprises) {
    return Quantiles.conformal(surprises.stream().mapToDouble(s -> s).toArray(), COVERAGE);
  }
}
