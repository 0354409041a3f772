package dev.cotenant.placement;

import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.interference.Answer;
import dev.cotenant.interference.Colocation;
import dev.cotenant.interference.InterferenceModel;
import dev.cotenant.interference.Knowledge;
import dev.cotenant.interference.SummedUtilizationCurve;
import java.util.ArrayList;
import java.util.List;

/**
 * What a newcomer would do to the tenants of a GPU that is shared whole, and they to it.
 *
 * <p>Every workload counts with the upper bound of its utilization; memory bandwidth is not known
 * before a workload runs.
 */
final class PredictedSlowdown {
  private static final String NEWCOMER = "newcomer";

  private final InterferenceModel interference;
  private final SummedUtilizationCurve curve = new SummedUtilizationCurve();

  PredictedSlowdown(InterferenceModel interference) {
    this.interference = interference;
  }

  /** The slowdown of whoever suffers most; where the model cannot say, that of the summed curve. */
  Slowdown ofWorst(Device device, List<Tenant> tenants, Prediction newcomer) {
    List<Colocation.Member> members = new ArrayList<>();
    for (Tenant tenant : tenants) {
      members.add(member(tenant.name(), 1, tenant.utilization().upper()));
    }
    Utilization own = newcomer.utilization().upper();
    members.add(member(NEWCOMER, newcomer.batchSize(), own));
    return switch (interference.answer(new Colocation(device.id().value(), members))) {
      case Answer.Estimated estimated ->
          Slowdown.ofRatio(
              estimated.effects().stream().mapToDouble(e -> e.slowdown().mean()).max().orElse(1));
      case Answer.CannotSay _ ->
          curve.slowdown(
              SummedUtilization.of(tenants.stream().map(t -> t.utilization().upper()).toList())
                  .plus(own));
    };
  }

  private static Colocation.Member member(String name, int batch, Utilization utilization) {
    return new Colocation.Member(
        name, batch, null, new Knowledge.Training(utilization.percent(), null));
  }
}
