package dev.cotenant.lab.inss;

import dev.cotenant.lab.requests.Replanning.Planner;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.ServicePlanner;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The plan for the largest part of the rates, in tenths, for which all services have a place.
 *
 * @param fleets with services at rates
 * @param planner of each part
 */
record PartOfRates(Function<Map<String, Double>, Fleet> fleets, ServicePlanner planner)
    implements Planner {
  private static final int STEPS = 10;

  @Override
  public Optional<FleetPlan> plan(Map<String, Double> requestsPerSecond) {
    for (int step = STEPS; step > 0; step--) {
      double part = (double) step / STEPS;
      Map<String, Double> rates = new TreeMap<>();
      requestsPerSecond.forEach((service, rate) -> rates.put(service, part * rate));
      FleetPlan plan = planner.plan(fleets.apply(rates));
      if (plan.unplaced().isEmpty()) {
        return Optional.of(plan);
      }
    }
    return Optional.empty();
  }
}
