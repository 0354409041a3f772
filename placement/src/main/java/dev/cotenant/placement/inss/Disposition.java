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
   * the order of the placement: first that of a batch of one, then that of the smallest batch that
   * keeps up, then that of the largest.
   */
  private static final MemorySize UNLIMITED = MemorySize.ofBytes(Long.MAX_VALUE);
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
      MemorySize memory = service.memoryAt(1);
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
      new Division(type, new BatchSearch(device, backlog), wanted, left).search(partitions);
    }
  }

  /** The batches of one GPU, and how its memory is divided among them. */
  private final class Division {
    private final DeviceType type;
    private final BatchSearch search;
    private final List<BatchSearch.Wanted> wanted;

    /** By partition: its memory so far, initially for a batch of one. */
    private final MemorySize[] held;

    /** By partition: the smallest batch that keeps up, 0 where it is not known or there is none. */
    private final int[] least;

    private MemorySize left;

    Division(
        DeviceType type, BatchSearch search, List<BatchSearch.Wanted> wanted, MemorySize left) {
      this.type = type;
      this.search = search;
      this.wanted = wanted;
      this.left = left;
      held = wanted.stream().map(own -> own.service().memoryAt(1)).toArray(MemorySize[]::new);
      least = new int[held.length];
    }

    void search(List<Partition> partitions) {
      boolean[] isTaken = new boolean[held.length];
      for (int i = 0; i < held.length; i++) {
        isTaken[i] = wanted.get(i).service().memoryByBatch() != null && !keepsUp(i);
      }
      for (int i = 0; i < held.length; i++) {
        if (!isTaken[i]) {
          keep(type, partitions.get(i), largest(i));
        }
      }
    }

    /** Holds the memory of its smallest batch that keeps up; false where that is taken. */
    private boolean keepsUp(int i) {
      Service service = wanted.get(i).service();
      int smallest = search.least(wanted, i);
      least[i] = smallest > 0 ? smallest : search.find(wanted, i, UNLIMITED).batch();
      MemorySize needed = service.memoryAt(Math.max(1, least[i]));
      MemorySize own = held[i].plus(left);
      if (!needed.isAtMost(own)) {
        refused.put(service.name(), new PlanReason.MemoryTaken(type.id(), needed, own));
        return false;
      }
      hold(i, needed);
      return true;
    }

    private BatchSearch.Found largest(int i) {
      boolean isPossible = least[i] > 0;
      BatchSearch.Found found = search.find(wanted, i, isPossible ? held[i].plus(left) : UNLIMITED);
      if (found.batch() == 0 && isPossible) {
        found = new BatchSearch.Found(least[i], found.leastMillis(), found.mostPerSecond());
      }
      if (found.batch() > 0) {
        hold(i, wanted.get(i).service().memoryAt(found.batch()));
      }
      return found;
    }

    private void hold(int i, MemorySize memory) {
      left = held[i].plus(left).minusOrZero(memory);
      held[i] = memory;
    }
  }

  private static BatchSearch.Wanted wanted(
      WorkloadProfile profile, Service service, Partition partition) {
    return new BatchSearch.Wanted(
        profile, partition.share().percent(), service, turn(partition).requestsPerSecond());
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

  /** The reason on the partition's kind of device, and not proposed on all others. */
  private List<PlanReason> reasons(PlanReason there) {
    return fleet.devices().stream()
        .map(type ->
            type.id().equals(there.device()) ? there : new PlanReason.NotProposed(type.id()))
        .toList();
  }
}
