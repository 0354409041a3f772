package dev.cotenant.placement.glet;

import dev.cotenant.domain.quantity.Milliseconds;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How much a gpu-let serves beside the worst neighbour that a fleet could put there. */
final class WorstCaseThroughput {
  private final Interference interference;
  private final List<Tenant> tenants;
  private final Map<Tenant, Map<Size, Double>> known = new HashMap<>();

  /**
   * @param interference between neighbours
   * @param tenants all of the fleet
   */
  WorstCaseThroughput(Interference interference, List<Tenant> tenants) {
    this.interference = interference;
    this.tenants = tenants;
  }

  /** Requests a second; 0 where the objective cannot be met beside that neighbour. */
  double mostPerSecond(Tenant tenant, Size size) {
    return size == Size.WHOLE
        ? tenant.mostPerSecond(size)
        : known
            .computeIfAbsent(tenant, t -> new EnumMap<>(Size.class))
            .computeIfAbsent(size, s -> work(tenant, s));
  }

  private double work(Tenant tenant, Size size) {
    double most = 0;
    for (int batch = 1; batch <= tenant.largestBatch(size); batch++) {
      double worst = worst(new Assignment(tenant, batch, 0), size);
      if (2 * worst * tenant.latencyMillis(batch, size) <= tenant.sloMillis()) {
        double busy = worst * tenant.busyMillis(batch, size);
        most = Math.max(most, Milliseconds.PER_SECOND * batch / busy);
      }
    }
    return most;
  }

  private double worst(Assignment own, Size size) {
    double worst = 1;
    for (Tenant other : tenants) {
      int largest = other.largestBatch(size.rest());
      if (largest > 0) {
        Assignment beside = new Assignment(other, largest, 0);
        worst = Math.max(worst, interference.factor(own, size, beside, size.rest()));
      }
    }
    return worst;
  }
}
