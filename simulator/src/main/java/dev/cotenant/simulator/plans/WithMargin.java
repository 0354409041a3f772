package dev.cotenant.simulator.plans;

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
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A strategy that assumes requests at equal intervals, given the least margin with which it serves
 * requests that come as they like: it plans for higher rates, or for tighter objectives, than asked
 * for, until 99 of 100 services keep 99 of 100 requests within their objectives in {@link
 * RequestSimulation}.
 */
public final class WithMargin implements ServicePlanner {
  /*
   * Both margins are tried in equal steps from none, each until its plan passes; of the two plans the
   * one with fewer GPUs counts, the higher rates first where they are equal. Rates are set back
   * afterwards, so that the plan is one of the fleet that was asked for.
   */
  private static final double RATE_STEP = 0.1;
  private static final int RATE_STEPS = 30;
  private static final double OBJECTIVE_STEP = 0.05;
  private static final int OBJECTIVE_STEPS = 16;
  private static final double KEPT_SHARE = 0.99;

  private final ServicePlanner planner;
  private final long seed;

  /**
   * A strategy with a margin.
   *
   * @param planner the strategy
   * @param seed of the arrivals that its plans are tried with
   */
  public WithMargin(ServicePlanner planner, long seed) {
    this.planner = planner;
    this.seed = seed;
  }

  /**
   * A plan and its margin.
   *
   * @param plan for the fleet that was asked for
   * @param rateFactor what rates were multiplied with in planning, at least 1
   * @param sloFactor what objectives were multiplied with, at most 1
   * @param kept services that keep their objectives
   * @param passes whether those are 99 of 100
   */
  public record Margin(
      FleetPlan plan, double rateFactor, double sloFactor, int kept, boolean passes) {}

  @Override
  public String name() {
    return planner.name() + "+margin";
  }

  @Override
  public FleetPlan plan(Fleet fleet) {
    Margin margin = margin(fleet);
    List<String> notes = new ArrayList<>(margin.plan().notes());
    notes.add(
        String.format(
            Locale.ROOT,
            "planned for %.2f times the rates and %.3f times the objectives: %d of %d keep them",
            margin.rateFactor(),
            margin.sloFactor(),
            margin.kept(),
            fleet.services().size()));
    FleetPlan plan = margin.plan();
    return new FleetPlan(name(), plan.gpus(), plan.unplaced(), OptionalInt.empty(), notes);
  }

  /** The least margin that passes; where none does, that which keeps most. */
  public Margin margin(Fleet fleet) {
    List<Margin> found = new ArrayList<>();
    Optional<Margin> rates = Optional.empty();
    for (int i = 0; i <= RATE_STEPS && rates.isEmpty(); i++) {
      rates = tried(fleet, 1 + i * RATE_STEP, 1, found);
    }
    Optional<Margin> objectives = Optional.empty();
    for (int i = 1; i <= OBJECTIVE_STEPS && objectives.isEmpty(); i++) {
      objectives = tried(fleet, 1, 1 - i * OBJECTIVE_STEP, found);
    }
    return found.stream()
        .min(
            Comparator.comparing((Margin margin) -> !margin.passes())
                .thenComparingInt(
                    margin -> margin.passes() ? margin.plan().gpus().size() : -margin.kept())
                .thenComparingDouble(Margin::rateFactor))
        .orElseThrow();
  }

  private Optional<Margin> tried(
      Fleet fleet, double rateFactor, double sloFactor, List<Margin> found) {
    Fleet tighter = scaled(fleet, rateFactor, sloFactor);
    FleetPlan plan = setBack(planner.plan(tighter), rateFactor);
    RequestSimulation simulation =
        new RequestSimulation(fleet, RequestSimulation.Settings.of(Arrivals.POISSON, seed));
    int kept = simulation.kept(plan);
    boolean passes = kept >= KEPT_SHARE * fleet.services().size();
    Margin margin = new Margin(plan, rateFactor, sloFactor, kept, passes);
    found.add(margin);
    return passes ? Optional.of(margin) : Optional.empty();
  }

  private static Fleet scaled(Fleet fleet, double rateFactor, double sloFactor) {
    List<Service> services =
        fleet.services().stream()
            .map(service ->
                new Service(
                    service.name(),
                    service.sloMillis() * sloFactor,
                    service.requestsPerSecond() * rateFactor,
                    service.memory(),
                    service.profiles()))
            .toList();
    return new Fleet(fleet.devices(), services, fleet.jobs(), fleet.placement(), Arrivals.CONSTANT);
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
