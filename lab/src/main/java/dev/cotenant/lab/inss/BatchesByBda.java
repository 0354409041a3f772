package dev.cotenant.lab.inss;

import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.FixedShare;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.inss.InssPlanner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The partitions of another planner, each of one service, with the batches of BDA [InSS, section
 * 6.3, BDA-Gpulet].
 *
 * @param planner of partitions
 */
record BatchesByBda(ServicePlanner planner) implements ServicePlanner {
  @Override
  public String name() {
    return planner.name() + "-bda";
  }

  @Override
  public FleetPlan plan(Fleet fleet) {
    FleetPlan plan = planner.plan(fleet);
    if (!plan.unplaced().isEmpty()) {
      return plan;
    }
    return new InssPlanner().plan(fleet.placed(shares(fleet, plan)));
  }

  /** The partitions of a plan without their batches. */
  static List<FixedShare> shares(Fleet fleet, FleetPlan plan) {
    Map<String, Integer> next = new HashMap<>();
    int before = 0;
    for (DeviceType type : fleet.devices()) {
      next.put(type.id(), before);
      before += type.maxCount();
    }
    List<FixedShare> shares = new ArrayList<>();
    for (PlannedGpu gpu : plan.gpus()) {
      int index = next.merge(gpu.device(), 1, Integer::sum) - 1;
      for (Partition partition : gpu.partitions()) {
        String service = partition.turns().getFirst().service();
        shares.add(new FixedShare(index, service, partition.share()));
      }
    }
    return shares;
  }
}
