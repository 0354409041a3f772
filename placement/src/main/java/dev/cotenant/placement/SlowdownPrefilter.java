package dev.cotenant.placement;

import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Rounding;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.interference.InterferenceModel;
import dev.cotenant.interference.InterferenceModel.OnWholeGpu;
import dev.cotenant.interference.SummedUtilizationCurve;
import org.jspecify.annotations.Nullable;

/**
 * The GPUs on which a slowdown limit is certain to break, a tenant's or the newcomer's. The others
 * need the full check against every limit.
 */
final class SlowdownPrefilter {
  /*
   * Idea: most models know no more than the sum of utilizations, which is stored with each GPU. The
   * curve over it never falls, so a limit of slowdown is one of the sum, found once a newcomer and
   * once for each limit that differs from the one before. A model that is opaque is evaluated on
   * every GPU. What rounding may do is left to the full check.
   */

  /** With such a limit copies of one server may share whatever the sum of utilizations is. */
  private static final double MIN_OF_COPIES = 2;

  private final double ownPercent;
  private final double limit;
  private final @Nullable SummedUtilizationCurve curve;

  private double lastLimit = Double.NaN;
  private double mostPercent;

  SlowdownPrefilter(InterferenceModel model, Prediction newcomer, Slowdown slowdownLimit) {
    ownPercent = newcomer.utilization().upper().percent();
    limit = slowdownLimit.ratio();
    curve = curve(model.onWholeGpu());
  }

  /** Where the model has no estimate, {@link PredictedSlowdown} uses the curve. */
  private static @Nullable SummedUtilizationCurve curve(OnWholeGpu form) {
    return switch (form) {
      case OnWholeGpu.Unavailable _ -> new SummedUtilizationCurve();
      case OnWholeGpu.SummedUtilization(SummedUtilizationCurve curve) -> curve;
      case OnWholeGpu.Opaque _ -> null;
    };
  }

  /** What the newcomer adds to the sum. */
  double ownPercent() {
    return ownPercent;
  }

  /**
   * The summed utilization, newcomer included, beyond which every GPU in use is refused; infinite
   * where nothing can be said.
   */
  double refusedBeyondPercent() {
    return curve == null || limit >= MIN_OF_COPIES
        ? Double.POSITIVE_INFINITY
        : mostPercent(curve, limit);
  }

  boolean surelyRefuses(IndexedGpu gpu) {
    Neighbours neighbours = gpu.neighbours();
    double most = Math.min(limit, neighbours.strictestSlowdown());
    return curve != null
        && !neighbours.isEmpty()
        && most < MIN_OF_COPIES
        && gpu.busyPercent() + ownPercent > mostPercent(curve, most);
  }

  private double mostPercent(SummedUtilizationCurve curve, double slowdown) {
    if (slowdown != lastLimit) {
      lastLimit = slowdown;
      mostPercent = curve.mostWithin(Slowdown.ofRatio(slowdown * (1 + Rounding.SLACK))).percent();
    }
    return mostPercent;
  }
}
