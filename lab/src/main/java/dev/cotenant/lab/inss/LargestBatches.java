package dev.cotenant.lab.inss;

import dev.cotenant.placement.fleet.BatchTimes;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.GpuEvaluation;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.fleet.Turn;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * gpu-lets as InSS compares with it: the partitions of another planner, each with the largest batch
 * that takes less than half the objective alone [InSS, section 6.1].
 *
 * @param planner of partitions of one service
 */
record LargestBatches(ServicePlanner planner) implements ServicePlanner {
  private static final int MAX = 32;

  @Override
  public String name() {
    return planner.name();
  }

  @Override
  public FleetPlan plan(Fleet fleet) {
    FleetPlan plan = planner.plan(fleet);
    GpuEvaluation evaluation = new GpuEvaluation(fleet);
    Map<String, Double> objectives = new HashMap<>();
    for (Service service : fleet.services()) {
      objectives.put(service.name(), service.sloMillis());
    }
    List<PlannedGpu> gpus =
        plan.gpus().stream()
            .map(gpu -> {
              List<Partition> partitions =
                  gpu.partitions().stream()
                      .map(each -> largest(evaluation, gpu.device(), each, objectives))
                      .toList();
              return PlannedGpu.serving(gpu.device(), partitions);
            })
            .toList();
    return FleetPlan.of(plan.strategy(), gpus, plan.unplaced());
  }

  private static Partition largest(
      GpuEvaluation evaluation,
      String device,
      Partition partition,
      Map<String, Double> objectives) {
    Turn turn = partition.turns().getFirst();
    Partition most = of(partition, MAX);
    BatchTimes times = evaluation.times(PlannedGpu.serving(device, List.of(most)), 0, 0);
    double budget = objectives.getOrDefault(turn.service(), 0.0) / 2;
    int batch = MAX;
    while (batch > turn.batch() && times.latencyMillis(batch) > budget) {
      batch--;
    }
    return of(partition, batch);
  }

  private static Partition of(Partition partition, int batch) {
    Turn turn = partition.turns().getFirst();
    return Partition.of(
        partition.share(), new Turn(turn.service(), batch, turn.requestsPerSecond()));
  }
}
