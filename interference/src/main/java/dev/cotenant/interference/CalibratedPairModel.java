package dev.cotenant.interference;

import dev.cotenant.interference.partition.MeasuredSolo;
import dev.cotenant.interference.partition.PairCalibration;
import dev.cotenant.interference.partition.PairSituation;
import dev.cotenant.interference.profile.DeviceProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Two profiled workloads in partitions of a device on which pairs were measured. */
public final class CalibratedPairModel implements InterferenceModel {
  private static final double MILLIS_PER_SECOND = 1000;

  private final DeviceProfile device;
  private final PairCalibration calibration;

  /**
   * @param device the device that the pairs were measured on
   * @param calibration what was learnt from them
   */
  public CalibratedPairModel(DeviceProfile device, PairCalibration calibration) {
    this.device = device;
    this.calibration = calibration;
  }

  @Override
  public String name() {
    return "calibrated-pairs";
  }

  @Override
  public UtilizationAlone onUtilizationAlone() {
    return new UtilizationAlone.CannotSay();
  }

  @Override
  public GraphsKnown onGraphsKnown() {
    return new GraphsKnown.CannotSay();
  }

  @Override
  public Answer answer(Colocation colocation) {
    if (!colocation.device().equals(device.device())) {
      return cannot("pairs were measured on " + device.device() + " only");
    }
    List<PairSituation.Side> sides = new ArrayList<>();
    double shares = 0;
    for (Colocation.Member member : colocation.members()) {
      Optional<PairSituation.Side> side = side(member);
      if (side.isEmpty()) {
        return cannot("'" + member.name() + "' has no partition or was not measured alone");
      }
      sides.add(side.get());
      shares += side.get().sharePercent();
    }
    if (sides.size() != 2) {
      return cannot("it knows pairs, not " + sides.size() + " workloads");
    }
    if (shares > 100 + 1e-9) {
      return cannot("the shares add up to more than 100 %");
    }
    List<Answer.Effect> effects = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Answer.Effect effect =
          effect(colocation.members().get(i).name(), sides.get(i), sides.get(1 - i));
      if (effect == null) {
        return cannot("the profiles do not reach these batches and shares");
      }
      effects.add(effect);
    }
    return new Answer.Estimated(name(), effects, null);
  }

  private static Optional<PairSituation.Side> side(Colocation.Member member) {
    MpsShare share = member.share();
    if (share == null
        || !(member.knowledge() instanceof Knowledge.Profiled(var profile, MeasuredSolo solo))
        || solo == null) {
      return Optional.empty();
    }
    return Optional.of(new PairSituation.Side(profile, solo, member.batch(), share.percent()));
  }

  private Answer.@Nullable Effect effect(
      String name, PairSituation.Side own, PairSituation.Side other) {
    PairSituation situation = PairSituation.of(device, own, other).orElse(null);
    if (situation == null) {
      return null;
    }
    PairCalibration.Estimate estimate = calibration.estimate(situation);
    double solo = own.solo().surface().millis(own.batch(), own.sharePercent());
    double ratio = Math.exp(estimate.logSlowdown());
    Interval latency = Interval.logNormal(solo * ratio, estimate.deviation());
    double lower = Math.exp(-Interval.NORMAL_QUANTILE * estimate.deviation());
    Interval slowdown =
        new Interval(ratio, Math.max(1, ratio * lower), Math.exp(estimate.upperLogSlowdown()));
    return new Answer.Effect(
        name,
        slowdown,
        new Answer.Serving(latency, latency.under(MILLIS_PER_SECOND * own.batch()), null),
        null);
  }

  private Answer cannot(String reason) {
    return new Answer.CannotSay(name(), reason);
  }
}
