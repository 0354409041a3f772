package dev.cotenant.interference.risk;

import dev.cotenant.domain.quantity.Slowdown;
import java.util.List;

/** Jobs and colocations of tests. */
final class Jobs {
  static final String DEVICE = "rtx-3090";
  static final SharedJob SMALL = job("small", 0.3);
  static final SharedJob LARGE = job("large", 0.8);
  static final SharedJob THIRD = job("third", 0.3);
  static final double LIMIT = 1.15;

  private Jobs() {}

  static SharedJob job(String model, double utilization) {
    return new SharedJob(model + " b32", model, utilization, utilization / 2);
  }

  static VictimColocation beside(SharedJob victim, SharedJob... aggressors) {
    return new VictimColocation(DEVICE, victim, List.of(aggressors));
  }

  static SpeedMeasurement speed(double speed, SharedJob victim, SharedJob... aggressors) {
    return new SpeedMeasurement(beside(victim, aggressors), speed, 0.03);
  }

  static RiskTenant tenant(SharedJob job) {
    return new RiskTenant(job, Slowdown.ofRatio(LIMIT));
  }

  static RiskPrior prior() {
    return new RiskPrior(UsageScale.UNIFORM, Deviations.all(0.03));
  }
}
