package dev.cotenant.placement.inss;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.Turn;
import dev.cotenant.placement.fleet.Unplaced;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.TreeMap;

/** Batches for every partition of a proposal, and what becomes of those without one. */
final class Disposition {
  /*
   * A service without a batch in one of its partitions leaves them all. Its neighbours keep the
   * batches that were found beside it: they are in time without it too. Memory goes to partitions in
   * the order of the placement.
   */
  private final Fleet fleet;
  private final int backlog;
  private final Map<String, DeviceType> devices = new HashMap<>();
  private final Map<String, Service> services = new HashMap<>();
  private final IdentityHashMap<Partition, Integer> batches = new IdentityHashMap<>();
  private final Map<String, PlanReason> refused = new TreeMap<>();

  Disposition(Fleet fleet, int backlog) {
    this.fleet = fleet;
    this.backlog = backlog;
    fleet.devices().forEach(type -> devices.put(type.id(), type));
    fleet.services().forEach(service -> services.put(service.name(), service));
  }

  /** Looks for batches: false where it finds services without one, or without memory. */
  boolean search(FleetPlan proposal) {
    int before = refused.size();
    proposal.gpus().forEach(this::search);
    return refused.size() == before;
  }

  /** The fleet without those that were found to have no batch. */
  Fleet others() {
    List<Service> others =
        fleet.services().stream().filter(service -> !refused.containsKey(service.name())).toList();
    return fleet.serving(others);
  }

  /** A proposal that was searched, without those that have no batch. */
  FleetPlan plan(String strategy, FleetPlan proposal) {
    List<PlannedGpu> gpus =
        proposal.gpus().stream()
            .map(this::planned)
            .filter(gpu -> !gpu.partitions().isEmpty())
            .toList();
    List<Unplaced> unplaced = new ArrayList<>(proposal.unplaced());
    refused.forEach((name, reason) -> unplaced.add(new Unplaced(name, reasons(reason))));
    unplaced.sort(Comparator.comparing(Unplaced::name));
    List<String> notes =
        refused.isEmpty()
            ? List.of()
            : List.of("BDA answers false: no batch for " + String.join(", ", refused.keySet()));
    return new FleetPlan(strategy, gpus, unplaced, OptionalInt.empty(), notes);
  }

  private void search(PlannedGpu gpu) {
    DeviceType type = Objects.requireNonNull(devices.get(gpu.device()), gpu.device());
    List<Partition> partitions = new ArrayList<>();
    List<BatchSearch.Wanted> wanted = new ArrayList<>();
    MemorySize left = type.memory();
    for (Partition partition : gpu.partitions()) {
      Service service = service(partition);
      WorkloadProfile profile = service.profiles().get(type.id());
      MemorySize memory = Objects.requireNonNullElse(service.memory(), MemorySize.ZERO);
      if (type.profile() == null || profile == null) {
        refused.put(service.name(), new PlanReason.NotProfiled(type.id()));
      } else if (memory.compareTo(left) > 0) {
        refused.put(service.name(), new PlanReason.MemoryTaken(type.id(), memory, left));
      } else {
        left = left.minusOrZero(memory);
        partitions.add(partition);
        wanted.add(wanted(profile, service, partition));
      }
    }
    DeviceProfile device = type.profile();
    if (device != null) {
      BatchSearch search = new BatchSearch(device, backlog);
      for (int i = 0; i < partitions.size(); i++) {
        keep(type, partitions.get(i), search.find(wanted, i));
      }
    }
  }

  private static BatchSearch.Wanted wanted(
      WorkloadProfile profile, Service service, Partition partition) {
    return new BatchSearch.Wanted(
        profile,
        partition.share().percent(),
        service.sloMillis(),
        turn(partition).requestsPerSecond());
  }

  private void keep(DeviceType type, Partition partition, BatchSearch.Found found) {
    if (found.batch() > 0) {
      batches.put(partition, found.batch());
      return;
    }
    var tried = new PlanReason.NoBatch.Partition(partition.share(), BatchSearch.MAX_BATCH);
    var prediction =
        new PlanReason.NoBatch.Prediction(
            found.leastMillis(),
            service(partition).sloMillis(),
            found.mostPerSecond(),
            turn(partition).requestsPerSecond());
    refused.put(turn(partition).service(), new PlanReason.NoBatch(type.id(), tried, prediction));
  }

  /** The only one: proposals have no partition of several services. */
  private static Turn turn(Partition partition) {
    return partition.turns().getFirst();
  }

  private Service service(Partition partition) {
    return Objects.requireNonNull(
        services.get(turn(partition).service()), turn(partition).service());
  }

  private PlannedGpu planned(PlannedGpu gpu) {
    List<Partition> served = new ArrayList<>();
    for (Partition partition : gpu.partitions()) {
      Integer batch = batches.get(partition);
      if (batch != null && !refused.containsKey(turn(partition).service())) {
        Turn turn = new Turn(turn(partition).service(), batch, turn(partition).requestsPerSecond());
        served.add(Partition.of(partition.share(), turn));
      }
    }
    return PlannedGpu.serving(gpu.device(), served);
  }

  /** Where its partition is, and that there is none on the other kinds. */
  private List<PlanReason> reasons(PlanReason there) {
    return fleet.devices().stream()
        .map(type ->
            type.id().equals(there.device()) ? there : new PlanReason.NotProposed(type.id()))
        .toList();
  }
}
