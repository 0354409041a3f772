package dev.cotenant.placement.inss;

import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.Turn;
import dev.cotenant.placement.igniter.IgniterPlanner;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * GPUs and shares as iGniter gives them, its batches left aside.
 *
 * <p>iGniter's throughput does not count uploads and InSS's does: so iGniter is asked for the rate
 * R·B/(B − R·d_load), the slowest link's if there are several kinds of device, which makes room for
 * R with uploads.
 */
public final class IgniterShares implements PlacementPolicy {
  private static final double MILLIS_PER_SECOND = 1000;

  @Override
  public Proposal propose(Fleet fleet) {
    Map<String, Double> raises = new HashMap<>();
    fleet.services().forEach(service -> raises.put(service.name(), raise(fleet, service)));
    List<Service> raised =
        fleet.services().stream()
            .map(s -> s.atRate(s.requestsPerSecond() * raises.getOrDefault(s.name(), 1.0)))
            .toList();
    FleetPlan plan =
        new IgniterPlanner()
            .plan(
                new Fleet(
                    fleet.devices(), raised, fleet.jobs(), fleet.placement(), fleet.arrivals()));
    return new Proposal(
        plan.gpus().stream().map(gpu -> proposed(gpu, raises)).toList(), plan.unplaced());
  }

  private static double raise(Fleet fleet, Service service) {
    double raise = 1;
    for (DeviceType type : fleet.devices()) {
      DeviceProfile device = type.profile();
      WorkloadProfile profile = service.profiles().get(type.id());
      if (device != null && profile != null) {
        double perMilli = service.requestsPerSecond() / MILLIS_PER_SECOND;
        double busy = perMilli * profile.inputBytes() / device.pcieBytesPerMillisecond();
        raise = busy < 1 ? Math.max(raise, 1 / (1 - busy)) : raise;
      }
    }
    return raise;
  }

  private static Proposal.Gpu proposed(PlannedGpu gpu, Map<String, Double> raises) {
    return new Proposal.Gpu(
        gpu.device(), gpu.partitions().stream().map(one -> proposed(one, raises)).toList());
  }

  private static Proposal.Share proposed(Partition partition, Map<String, Double> raises) {
    Turn turn = partition.turns().getFirst();
    double raise = raises.getOrDefault(turn.service(), 1.0);
    return new Proposal.Share(
        turn.service(), partition.sharePermille(), turn.requestsPerSecond() / raise);
  }
}
