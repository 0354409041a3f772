package dev.cotenant.simulator.lab.serving;

import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.GpuEvaluation;
import dev.cotenant.placement.fleet.GpuEvaluation.TurnOutlook;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.inss.InssPlanner;
import java.util.List;

/**
 * Our own planner for given GPUs: the most throughput that serves every rate in time [InSS, problem
 * 1], with batches by BDA. From {@link FilledGpus}, the best neighbour of a filling as long as one
 * is better.
 */
final class MostThroughput implements ServicePlanner {
  private final InssPlanner bda = new InssPlanner();

  /** A filling and what it serves. */
  private record Tried(Filling filling, FleetPlan plan, double perSecond) {
    /** Fewer services without a place, then more throughput. */
    boolean isBetterThan(Tried other) {
      int missing = plan.unplaced().size() - other.plan.unplaced().size();
      return missing == 0 ? perSecond > other.perSecond : missing < 0;
    }
  }

  @Override
  public String name() {
    return "most-throughput";
  }

  @Override
  public FleetPlan plan(Fleet fleet) {
    GpuEvaluation evaluation = new GpuEvaluation(fleet);
    Tried best = tried(Filling.byLoad(fleet), evaluation);
    boolean isBetter = true;
    while (isBetter) {
      isBetter = false;
      for (Filling next : best.filling().neighbours()) {
        Tried tried = tried(next, evaluation);
        if (tried.isBetterThan(best)) {
          best = tried;
          isBetter = true;
        }
      }
    }
    return best.plan();
  }

  private Tried tried(Filling filling, GpuEvaluation evaluation) {
    FleetPlan plan = bda.plan(filling.placed());
    return new Tried(filling, plan, perSecond(plan, evaluation));
  }

  /** Σ of what planned batches serve at most [InSS, section 4.1]. */
  static double perSecond(FleetPlan plan, GpuEvaluation evaluation) {
    return plan.gpus().stream()
        .flatMap(gpu -> evaluation.of(gpu).stream())
        .flatMap(List::stream)
        .mapToDouble(TurnOutlook::throughputPerSecond)
        .sum();
  }
}
