package dev.cotenant.lab.serving;

import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlacementVerifier;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.RequestSimulation;
import dev.cotenant.placement.fleet.ServicePlanner;
import java.util.List;
import java.util.function.Predicate;

/**
 * A plan of services with its evaluation.
 *
 * @param fleet whose services it places
 * @param plan by one strategy
 * @param seed of simulated arrivals
 */
record PlannedServices(Fleet fleet, FleetPlan plan, long seed) {
  static PlannedServices of(Fleet fleet, ServicePlanner planner, long seed) {
    return new PlannedServices(fleet, planner.plan(fleet), seed);
  }

  int gpus() {
    return plan.gpus().size();
  }

  double cost() {
    return plan.costPerHour(fleet);
  }

  int violations() {
    return new PlacementVerifier(fleet).ofServices(plan).missed();
  }

  int late(Arrivals arrivals) {
    RequestSimulation simulation =
        new RequestSimulation(fleet, RequestSimulation.Settings.of(arrivals, seed));
    return fleet.services().size() - simulation.met(plan);
  }

  /** The GPU of a workload in the order of opening, from 1; the first where it has parts. */
  int gpuOf(String workload) {
    for (int i = 0; i < gpus(); i++) {
      if (plan.gpus().get(i).partitions().stream().anyMatch(serves(workload))) {
        return i + 1;
      }
    }
    throw new IllegalStateException(plan.strategy() + " does not place " + workload);
  }

  /** Percent of a GPU, summed over parts. */
  double shareOf(String workload) {
    return partitions(workload).stream().mapToDouble(each -> each.share().percent()).sum();
  }

  /** The batch of the first part. */
  int batchOf(String workload) {
    return partitions(workload).getFirst().turns().getFirst().batch();
  }

  List<Partition> partitions(String workload) {
    return plan.gpus().stream()
        .map(PlannedGpu::partitions)
        .flatMap(List::stream)
        .filter(serves(workload))
        .toList();
  }

  private static Predicate<Partition> serves(String workload) {
    return partition -> partition.turns().getFirst().service().equals(workload);
  }
}
