package dev.cotenant.placement.inss;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.FixedShare;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.Turn;
import dev.cotenant.placement.fleet.Unplaced;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The placement that the fleet comes with. GPUs are counted through the kinds of device in the
 * fleet's order: with two of the first kind, GPU 2 is the first of the second. A service with
 * several partitions serves an equal part of its rate in each.
 *
 * @see Fleet#placement()
 */
final class GivenPlacement implements PlacementPolicy {
  /**
   * As above.
   *
   * @throws InputException ({@code placement-unknown-workload}, {@code placement-unknown-gpu},
   *     {@code placement-shares-exceeded}) naming the workload or the GPU
   */
  @Override
  public FleetPlan propose(Fleet fleet) {
    Map<String, Service> services = new HashMap<>();
    fleet.services().forEach(service -> services.put(service.name(), service));
    Map<String, Long> parts =
        fleet.placement().stream()
            .collect(Collectors.groupingBy(FixedShare::service, Collectors.counting()));
    Map<Integer, List<Partition>> gpus = new TreeMap<>();
    for (FixedShare fixed : fleet.placement()) {
      Service service = services.get(fixed.service());
      if (service == null) {
        throw InputException.invalidArgument(
            "placement-unknown-workload",
            "The placement names workload '" + fixed.service() + "', which is not in the plan.");
      }
      double rate = service.requestsPerSecond() / parts.getOrDefault(service.name(), 1L);
      gpus.computeIfAbsent(fixed.gpu(), gpu -> new ArrayList<>())
          .add(Partition.of(fixed.share(), new Turn(service.name(), 1, rate)));
    }
    List<PlannedGpu> proposed = new ArrayList<>();
    gpus.forEach((gpu, shares) -> proposed.add(gpu(fleet, gpu, shares)));
    return FleetPlan.of("given", proposed, left(fleet, parts.keySet()));
  }

  private static PlannedGpu gpu(Fleet fleet, int gpu, List<Partition> shares) {
    int sum = shares.stream().mapToInt(part -> part.share().permille()).sum();
    if (sum > Share.WHOLE.permille()) {
      throw InputException.invalidArgument(
          "placement-shares-exceeded",
          "The shares of GPU " + gpu + " in the placement add up to more than 100 %.");
    }
    return PlannedGpu.serving(device(fleet, gpu).id(), shares);
  }

  private static DeviceType device(Fleet fleet, int gpu) {
    long left = gpu;
    for (DeviceType type : fleet.devices()) {
      if (left >= 0 && left < type.maxCount()) {
        return type;
      }
      left -= type.maxCount();
    }
    throw InputException.invalidArgument(
        "placement-unknown-gpu",
        "The placement names GPU " + gpu + ", and the devices are not so many: count from 0.");
  }

  private static List<Unplaced> left(Fleet fleet, Set<String> placed) {
    return fleet.services().stream()
        .filter(service -> !placed.contains(service.name()))
        .map(service ->
            new Unplaced(
                service.name(),
                fleet.devices().stream()
                    .<PlanReason>map(type -> new PlanReason.NotProposed(type.id()))
                    .toList()))
        .toList();
  }
}
