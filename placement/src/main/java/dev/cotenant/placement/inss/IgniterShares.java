package dev.cotenant.placement.inss;

import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.Turn;
import dev.cotenant.placement.igniter.IgniterPlanner;
import java.util.Comparator;
import java.util.List;

/**
 * GPUs and shares as iGniter gives them, its batches left aside.
 *
 * <p>iGniter's throughput does not count uploads and InSS's does: so its shares are those that make
 * room for uploads between batches. Its reasons for services without a place are kept; what a whole
 * GPU serves is said with uploads counted too.
 *
 * <p>Services that iGniter's sort holds equal are placed by name, so that the order of the fleet
 * does not matter here.
 */
final class IgniterShares implements PlacementPolicy {
  @Override
  public Proposal propose(Fleet fleet) {
    FleetPlan plan = IgniterPlanner.withUploadsBetweenBatches().plan(byName(fleet));
    return new Proposal(
        plan.gpus().stream().map(IgniterShares::proposed).toList(), plan.unplaced());
  }

  private static Fleet byName(Fleet fleet) {
    List<Service> services =
        fleet.services().stream().sorted(Comparator.comparing(Service::name)).toList();
    return new Fleet(fleet.devices(), services, fleet.jobs(), fleet.placement(), fleet.arrivals());
  }

  private static Proposal.Gpu proposed(PlannedGpu gpu) {
    return new Proposal.Gpu(
        gpu.device(), gpu.partitions().stream().map(IgniterShares::proposed).toList());
  }

  private static Proposal.Part proposed(Partition partition) {
    Turn turn = partition.turns().getFirst();
    return new Proposal.Part(turn.service(), partition.share(), turn.requestsPerSecond());
  }
}
