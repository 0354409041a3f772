package dev.cotenant.lab.inss;

import dev.cotenant.lab.requests.Observation;
import dev.cotenant.lab.requests.Replanning.Targets;
import dev.cotenant.lab.requests.ServingPolicy;
import dev.cotenant.placement.fleet.FixedShare;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.inss.InssPlanner;
import dev.cotenant.placement.inss.PlacementPolicy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * InSS as it runs [InSS, section 5.5]: where rates change, BDA looks for batches in the partitions
 * that are there; where it answers false, a policy places all services anew.
 *
 * <p>Where BDA has no batches in the new partitions either, it looks for those of the largest part
 * of all rates that has some, in tenths; the paper does not say what happens.
 */
final class InssOnline implements ServingPolicy {
  /** All rates, in tenths. */
  static final int TENTHS = 10;

  private final Function<Map<String, Double>, Fleet> fleets;
  private final Function<Observation, PlacementPolicy> policies;
  private final Targets targets;
  private final InssPlanner bda = new InssPlanner();
  private final int minTenths;
  private List<FixedShare> placement = List.of();

  /**
   * @param fleets with services at rates
   * @param policies what places for an observation
   * @param targets what is planned for
   * @param minTenths least part of all rates that the existing partitions must have batches for, 1
   *     to {@value #TENTHS}; {@value #TENTHS} in the paper
   */
  InssOnline(
      Function<Map<String, Double>, Fleet> fleets,
      Function<Observation, PlacementPolicy> policies,
      Targets targets,
      int minTenths) {
    this.fleets = fleets;
    this.policies = policies;
    this.targets = targets;
    this.minTenths = minTenths;
  }

  @Override
  public FleetPlan plan(Observation seen) {
    SortedMap<String, Double> rates = targets.of(seen.rates());
    return batches(rates, minTenths).orElseGet(() -> placed(seen, rates));
  }

  private FleetPlan placed(Observation seen, SortedMap<String, Double> rates) {
    Fleet fleet = fleets.apply(rates);
    placement = BatchesByBda.shares(fleet, policies.apply(seen).propose(fleet));
    return batches(rates, 1).orElse(seen.current());
  }

  /** A plan for the largest feasible number of tenths of all rates, at least {@code least}. */
  private Optional<FleetPlan> batches(SortedMap<String, Double> rates, int least) {
    for (int tenths = TENTHS; tenths >= least; tenths--) {
      Optional<FleetPlan> plan = batchesOf(rates, (double) tenths / TENTHS);
      if (plan.isPresent()) {
        return plan;
      }
    }
    return Optional.empty();
  }

  /** A plan with all services in the existing partitions; empty if BDA answers false. */
  private Optional<FleetPlan> batchesOf(SortedMap<String, Double> rates, double part) {
    if (placement.isEmpty()) {
      return Optional.empty();
    }
    SortedMap<String, Double> served = new TreeMap<>();
    rates.forEach((service, rate) -> served.put(service, part * rate));
    FleetPlan plan = bda.plan(fleets.apply(served).placed(placement));
    return plan.unplaced().isEmpty() ? Optional.of(plan) : Optional.empty();
  }
}
