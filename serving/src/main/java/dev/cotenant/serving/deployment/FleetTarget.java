package dev.cotenant.serving.deployment;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.quantity.SummedShare;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Turn;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A plan whose GPUs and partitions have names that stay: what is to run.
 *
 * @param gpus in use, by name
 * @param created how many partitions had a name so far: a name is given once
 */
public record FleetTarget(SortedMap<String, Gpu> gpus, long created) {
  /** Nothing runs. */
  public static final FleetTarget NONE = new FleetTarget(new TreeMap<>(), 0);

  public FleetTarget {
    gpus = Collections.unmodifiableSortedMap(new TreeMap<>(gpus));
    for (Map.Entry<String, Gpu> gpu : gpus.entrySet()) {
      SummedShare sum =
          SummedShare.of(gpu.getValue().replicas().stream().map(Replica::share).toList());
      if (!sum.isOfOneGpu()) {
        throw new IllegalArgumentException(
            "the shares of " + gpu.getKey() + " add up to " + sum.permille() + " thousandths");
      }
    }
  }

  /**
   * A GPU in use.
   *
   * @param device its kind
   * @param replicas at least one
   */
  public record Gpu(String device, List<Replica> replicas) {
    public Gpu {
      replicas = List.copyOf(replicas);
    }

    /** As planners know it. */
    public PlannedGpu planned() {
      return PlannedGpu.serving(device, replicas.stream().map(Replica::partition).toList());
    }
  }

  /**
   * A partition of one service.
   *
   * @param id of this partition, never reused
   * @param service whose
   * @param share of the GPU
   * @param batch the largest that it runs
   * @param requestsPerSecond planned part of the rate
   */
  public record Replica(
      String id, String service, Share share, int batch, double requestsPerSecond) {
    /** As planners know it. */
    public Partition partition() {
      return Partition.of(share, new Turn(service, batch, requestsPerSecond));
    }

    /** The same with another share. */
    public Replica with(Share other) {
      return new Replica(id, service, other, batch, requestsPerSecond);
    }
  }

  /** Whether both have the same partitions on the same GPUs, whatever rates were planned for. */
  public boolean isPlacedAs(FleetTarget other) {
    return withoutRates().equals(other.withoutRates());
  }

  private SortedMap<String, Gpu> withoutRates() {
    SortedMap<String, Gpu> bare = new TreeMap<>();
    gpus.forEach((name, gpu) ->
        bare.put(
            name,
            new Gpu(
                gpu.device(),
                gpu.replicas().stream()
                    .map(each ->
                        new Replica(each.id(), each.service(), each.share(), each.batch(), 0))
                    .toList())));
    return bare;
  }

  /** The GPUs in the order of their names, as planners know them. */
  public List<PlannedGpu> planned() {
    return gpus.values().stream().map(Gpu::planned).toList();
  }

  /** The same with these partitions in place of theirs. */
  public FleetTarget with(Map<String, Replica> changed) {
    SortedMap<String, Gpu> next = new TreeMap<>();
    gpus.forEach((name, gpu) ->
        next.put(
            name,
            new Gpu(
                gpu.device(),
                gpu.replicas().stream()
                    .map(each -> changed.getOrDefault(each.id(), each))
                    .toList())));
    return new FleetTarget(next, created);
  }

  /** The plan without names. */
  public FleetPlan plan(String strategy) {
    return FleetPlan.of(strategy, planned(), List.of());
  }

  /** All partitions with the names of their GPUs. */
  public SortedMap<String, Placed> replicas() {
    SortedMap<String, Placed> all = new TreeMap<>();
    gpus.forEach(
        (name, gpu) -> gpu.replicas().forEach(each -> all.put(each.id(), new Placed(name, each))));
    return all;
  }

  /**
   * A partition and its GPU.
   *
   * @param gpu its name
   * @param replica the partition
   */
  public record Placed(String gpu, Replica replica) {}

  /**
   * The deployment that a revised plan means.
   *
   * @param planned one for each GPU in use, in their order, without partitions where it is given
   *     back; then those that are opened, which get the first free names of their kind
   */
  public FleetTarget revised(List<PlannedGpu> planned) {
    Naming naming = new Naming(created);
    SortedMap<String, Gpu> next = new TreeMap<>();
    int index = 0;
    for (Map.Entry<String, Gpu> gpu : gpus.entrySet()) {
      PlannedGpu after = planned.get(index++);
      if (!after.partitions().isEmpty()) {
        next.put(gpu.getKey(), naming.of(after, gpu.getValue().replicas()));
      }
    }
    for (PlannedGpu opened : planned.subList(index, planned.size())) {
      next.put(freeName(opened.device(), next), naming.of(opened, List.of()));
    }
    return new FleetTarget(next, naming.created);
  }

  /** Not that of a GPU that is just given back: it may not be free yet. */
  private String freeName(String device, Map<String, Gpu> taken) {
    int number = 0;
    while (taken.containsKey(name(device, number)) || gpus.containsKey(name(device, number))) {
      number++;
    }
    return name(device, number);
  }

  /** Padded, so that names sort as numbers do. */
  private static String name(String device, int number) {
    return String.format(Locale.ROOT, "%s-%04d", device, number);
  }

  /** Names partitions: those that stay keep theirs. */
  private static final class Naming {
    private long created;

    Naming(long created) {
      this.created = created;
    }

    Gpu of(PlannedGpu planned, List<Replica> before) {
      Map<String, List<Replica>> known = new HashMap<>();
      before.forEach(
          each -> known.computeIfAbsent(each.service(), _ -> new ArrayList<>()).add(each));
      List<Replica> replicas = new ArrayList<>();
      for (Partition partition : planned.partitions()) {
        Turn turn = partition.turns().getFirst();
        List<Replica> same = known.getOrDefault(turn.service(), List.of());
        String id = same.isEmpty() ? turn.service() + "-" + ++created : same.removeFirst().id();
        replicas.add(
            new Replica(
                id, turn.service(), partition.share(), turn.batch(), turn.requestsPerSecond()));
      }
      return new Gpu(planned.device(), replicas);
    }
  }
}
