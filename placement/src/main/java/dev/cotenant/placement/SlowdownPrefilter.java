package dev.cotenant.placement;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.interference.GraphPairs;
import dev.cotenant.interference.GraphUsage;
import dev.cotenant.interference.InterferenceModel;
import dev.cotenant.interference.InterferenceModel.OnWholeGpu;
import dev.cotenant.interference.SummedUtilizationCurve;
import org.jspecify.annotations.Nullable;

/**
 * The GPUs of one product on which a slowdown limit is certain to break, a tenant's or the
 * newcomer's. The others need the full check against every limit.
 */
final class SlowdownPrefilter {
  /*
   * Idea: most models know no more than the sum of utilizations, which is stored with each GPU. The
   * curve over it never falls, so a limit of slowdown is one of the sum, found once a newcomer and
   * once for each promise that differs from the one before. Only two jobs whose graphs are both
   * known go by a formula of their own, a dozen multiplications. A model that is opaque is evaluated on every GPU. What rounding may do is left to the full check.
   */
  private static final double ROUNDING = 1e-9;

  /** With such a limit copies of one server may share whatever the sum of utilizations is. */
  private static final double LEAST_OF_COPIES = 2;

  private final double ownPercent;
  private final double limit;
  private final boolean graphKnown;
  private final @Nullable SummedUtilizationCurve onUtilizationAlone;
  private final @Nullable SummedUtilizationCurve onGraphsKnown;
  private final @Nullable GraphPairs pairs;
  private final @Nullable Device device;
  private final @Nullable GraphUsage own;

  private double promise = Double.NaN;
  private double mostPercent;

  SlowdownPrefilter(
      InterferenceModel model, DeviceId product, Prediction newcomer, Slowdown slowdownLimit) {
    ownPercent = newcomer.utilization().upper().percent();
    limit = slowdownLimit.ratio();
    graphKnown = newcomer.work() != null;
    onUtilizationAlone = curve(model.onUtilizationAlone());
    onGraphsKnown = curve(model.onGraphsKnown());
    pairs = pairs(model.onGraphsKnown());
    device = pairs == null ? null : pairs.device(product).orElse(null);
    own = own(device, newcomer);
  }

  /** Where the model has no estimate, {@link PredictedSlowdown} uses the curve. */
  private static @Nullable SummedUtilizationCurve curve(OnWholeGpu form) {
    return switch (form) {
      case OnWholeGpu.Unavailable _ -> new SummedUtilizationCurve();
      case OnWholeGpu.SummedUtilization(SummedUtilizationCurve curve) -> curve;
      case OnWholeGpu.PairwiseWithFallback(_, SummedUtilizationCurve curve) -> curve;
      case OnWholeGpu.Opaque _ -> null;
    };
  }

  private static @Nullable GraphPairs pairs(OnWholeGpu form) {
    return form instanceof OnWholeGpu.PairwiseWithFallback(GraphPairs pairs, _) ? pairs : null;
  }

  private static @Nullable GraphUsage own(@Nullable Device device, Prediction newcomer) {
    GraphRun run = newcomer.run().orElse(null);
    return device == null || run == null
        ? null
        : GraphUsage.of(run, device, newcomer.utilization().upper().percent());
  }

  /** What the newcomer adds to the sum. */
  double ownPercent() {
    return ownPercent;
  }

  /**
   * The summed utilization, newcomer included, beyond which every GPU in use is refused, save for
   * those that {@link #exceptsPairs}; infinite where nothing can be said.
   */
  double refusedBeyondPercent() {
    SummedUtilizationCurve curve = onGraphsKnown;
    return curve == null || limit >= LEAST_OF_COPIES || (!graphKnown && onUtilizationAlone == null)
        ? Double.POSITIVE_INFINITY
        : mostPercent(curve, limit);
  }

  /** Whether nothing follows from the sum where the only neighbour's graph is known. */
  boolean exceptsPairs() {
    return graphKnown && pairs != null;
  }

  boolean surelyRefuses(IndexedGpu gpu) {
    Neighbours neighbours = gpu.neighbours();
    if (neighbours.isEmpty()) {
      return false;
    }
    double most = Math.min(limit, neighbours.strictestSlowdown());
    if (graphKnown && most >= LEAST_OF_COPIES) {
      return false; // left to the full check
    }
    GraphPairs formula = pairs;
    GraphUsage only = neighbours.only();
    if (graphKnown && only != null && formula != null) {
      return own != null
          && gpu.gpu().device().equals(device)
          && formula.worstSlowdown(own, only) > most * (1 + ROUNDING);
    }
    SummedUtilizationCurve curve =
        graphKnown || neighbours.graphs() > 0 ? onGraphsKnown : onUtilizationAlone;
    return curve != null && gpu.busyPercent() + ownPercent > mostPercent(curve, most);
  }

  private double mostPercent(SummedUtilizationCurve curve, double slowdown) {
    if (slowdown != promise) {
      promise = slowdown;
      mostPercent = curve.mostWithin(Slowdown.ofRatio(slowdown * (1 + ROUNDING))).percent();
    }
    return mostPercent;
  }
}
