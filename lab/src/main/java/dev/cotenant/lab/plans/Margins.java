package dev.cotenant.lab.plans;

import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.RequestSimulation;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.fleet.Turn;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Strategies that assume requests at equal intervals, given the least margin with which they serve
 * requests at random times: they plan for higher rates, or for tighter objectives, than requested,
 * until 99 of 100 services meet their objectives for 99 of 100 requests in {@link
 * RequestSimulation}.
 */
final class Margins {
  /*
   * Both margins are tried in equal steps from none, each until its plan passes; of the two plans the
   * one with fewer GPUs counts, the higher rates first where they are equal. Rates are set back
   * afterwards, so that the plan is one of the requested fleet.
   */
  private static final double RATE_STEP = 0.1;
  private static final int RATE_STEPS = 30;
  private static final double OBJECTIVE_STEP = 0.05;
  private static final int OBJECTIVE_STEPS = 16;
  private static final double MET_SHARE = 0.99;

  private final Fleet fleet;
  private final RequestSimulation simulation;

  /**
   * @param seed of the arrivals that plans are tried with
   */
  Margins(Fleet fleet, long seed) {
    this.fleet = fleet;
    simulation =
        new RequestSimulation(fleet, RequestSimulation.Settings.of(Arrivals.POISSON, seed));
  }

  /**
   * A plan and its margin.
   *
   * @param plan for the requested fleet
   * @param rateFactor what rates were multiplied with in planning, at least 1
   * @param sloFactor what objectives were multiplied with, at most 1
   * @param met services of which 99 of 100 requests met their objective in the simulation
   */
  record Margin(FleetPlan plan, double rateFactor, double sloFactor, int met) {}

  /** A plan without a margin. */
  Margin none(FleetPlan plan) {
    return new Margin(plan, 1, 1, simulation.met(plan));
  }

  private boolean passes(Margin margin) {
    return margin.met() >= MET_SHARE * fleet.services().size();
  }

  /** The least margin that passes; where none does, that which keeps most. */
  Margin least(ServicePlanner planner) {
    List<Margin> found = new ArrayList<>();
    boolean passed = false;
    for (int i = 0; i <= RATE_STEPS && !passed; i++) {
      found.add(margin(planner, 1 + i * RATE_STEP, 1));
      passed = passes(found.getLast());
    }
    passed = false;
    for (int i = 1; i <= OBJECTIVE_STEPS && !passed; i++) {
      found.add(margin(planner, 1, 1 - i * OBJECTIVE_STEP));
      passed = passes(found.getLast());
    }
    return found.stream()
        .min(
            Comparator.comparing((Margin margin) -> !passes(margin))
                .thenComparingInt(
                    margin -> passes(margin) ? margin.plan().gpus().size() : -margin.met())
                .thenComparingDouble(Margin::rateFactor))
        .orElseThrow();
  }

  private Margin margin(ServicePlanner planner, double rateFactor, double sloFactor) {
    FleetPlan plan = setBack(planner.plan(scaled(rateFactor, sloFactor)), rateFactor);
    return new Margin(plan, rateFactor, sloFactor, simulation.met(plan));
  }

  private Fleet scaled(double rateFactor, double sloFactor) {
    List<Service> services =
        fleet.services().stream()
            .map(service ->
                service
                    .within(service.sloMillis() * sloFactor)
                    .atRate(service.requestsPerSecond() * rateFactor))
            .toList();
    return fleet.serving(services).with(Arrivals.CONSTANT);
  }

  private static FleetPlan setBack(FleetPlan plan, double rateFactor) {
    List<PlannedGpu> gpus = new ArrayList<>();
    for (PlannedGpu gpu : plan.gpus()) {
      List<Partition> partitions = new ArrayList<>();
      for (Partition partition : gpu.partitions()) {
        List<Turn> turns =
            partition.turns().stream()
                .map(turn ->
                    new Turn(turn.service(), turn.batch(), turn.requestsPerSecond() / rateFactor))
                .toList();
        partitions.add(new Partition(partition.share(), turns));
      }
      gpus.add(new PlannedGpu(gpu.device(), partitions, gpu.jobs()));
    }
    return FleetPlan.of(plan.strategy(), gpus, plan.unplaced());
  }
}
