package dev.cotenant.placement.fleet;

import java.util.List;
import java.util.OptionalInt;

/**
 * Which workload runs where.
 *
 * @param strategy who made it
 * @param gpus in the order of opening
 * @param unplaced what has no place, by name
 * @param lowerBoundGpus the fewest GPUs that any plan of the same workloads needs, where the
 *     strategy has proved one
 * @param notes remarks of the strategy, such as the binding limit; one line each
 */
public record FleetPlan(
    String strategy,
    List<PlannedGpu> gpus,
    List<Unplaced> unplaced,
    OptionalInt lowerBoundGpus,
    List<String> notes) {
  public FleetPlan {
    gpus = List.copyOf(gpus);
    unplaced = List.copyOf(unplaced);
    notes = List.copyOf(notes);
  }

  /** A plan without a bound and notes. */
  public static FleetPlan of(String strategy, List<PlannedGpu> gpus, List<Unplaced> unplaced) {
    return new FleetPlan(strategy, gpus, unplaced, OptionalInt.empty(), List.of());
  }

  /** Sum of partition shares; 100 per full GPU. */
  public double sharePercent() {
    return gpus.stream()
        .flatMap(gpu -> gpu.partitions().stream())
        .mapToDouble(partition -> partition.share().percent())
        .sum();
  }

  /** What its GPUs cost an hour. */
  public double costPerHour(Fleet fleet) {
    return gpus.stream()
        .mapToDouble(gpu ->
            fleet.devices().stream()
                .filter(device -> device.id().equals(gpu.device()))
                .mapToDouble(DeviceType::pricePerHour)
                .findFirst()
                .orElseThrow())
        .sum();
  }
}
