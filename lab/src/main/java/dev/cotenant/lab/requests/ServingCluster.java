package dev.cotenant.lab.requests;

import dev.cotenant.domain.quantity.Rounding;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.simulator.event.Timeline;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** The GPUs that serve, changed from one plan to the next. */
final class ServingCluster {
  private final ServingSettings settings;
  private final Timeline timeline;
  private final PartitionServer.Outcomes outcomes;
  private List<ServingGpu> gpus = List.of();

  ServingCluster(ServingSettings settings, Timeline timeline, PartitionServer.Outcomes outcomes) {
    this.settings = settings;
    this.timeline = timeline;
    this.outcomes = outcomes;
  }

  /** The same plan with the partitions of each GPU in one order, the largest first. */
  static FleetPlan ordered(FleetPlan plan) {
    List<PlannedGpu> gpus = plan.gpus().stream().map(ServingCluster::ordered).toList();
    return new FleetPlan(
        plan.strategy(), gpus, plan.unplaced(), plan.lowerBoundGpus(), plan.notes());
  }

  private static PlannedGpu ordered(PlannedGpu gpu) {
    List<Partition> partitions =
        gpu.partitions().stream()
            .sorted(
                Comparator.comparingDouble((Partition partition) -> -partition.share().percent())
                    .thenComparing(partition -> partition.turns().getFirst().service()))
            .toList();
    return new PlannedGpu(gpu.device(), partitions, gpu.jobs());
  }

  /** Whether a plan needs no other processes than those that run. */
  boolean hasProcessesOf(FleetPlan plan) {
    List<ServingGpu> left = new ArrayList<>(gpus);
    return plan.gpus().stream().allMatch(planned -> take(left, planned).isPresent())
        && left.isEmpty();
  }

  /**
   * Serves by a plan from now on; GPUs with the same processes go on.
   *
   * @param routes made again, by service
   * @throws IllegalArgumentException when the plan needs more than there is
   */
  void apply(FleetPlan plan, Map<String, Routes> routes, PartitionServer.Orphans orphans) {
    verify(plan);
    List<ServingGpu> left = new ArrayList<>(gpus);
    List<ServingGpu> next = new ArrayList<>();
    for (PlannedGpu planned : plan.gpus()) {
      Optional<ServingGpu> same = take(left, planned);
      same.ifPresent(gpu -> gpu.update(planned));
      next.add(same.orElseGet(() -> open(planned)));
    }
    gpus = next;
    routes.clear();
    gpus.forEach(gpu -> gpu.servers().forEach(server -> route(server, routes)));
    left.forEach(gpu -> gpu.servers().forEach(server -> server.retire(orphans)));
  }

  private static void route(PartitionServer server, Map<String, Routes> routes) {
    for (int turn = 0; turn < server.turns().size(); turn++) {
      var planned = server.turns().get(turn);
      routes
          .computeIfAbsent(planned.service(), _ -> new Routes())
          .add(server, turn, planned.requestsPerSecond());
    }
  }

  private static Optional<ServingGpu> take(List<ServingGpu> from, PlannedGpu planned) {
    OptionalInt found = OptionalInt.empty();
    for (int i = 0; i < from.size() && found.isEmpty(); i++) {
      found = from.get(i).hasProcessesOf(planned) ? OptionalInt.of(i) : found;
    }
    return found.isEmpty() ? Optional.empty() : Optional.of(from.remove(found.getAsInt()));
  }

  private ServingGpu open(PlannedGpu planned) {
    ServingGpu gpu = new ServingGpu(planned, settings.durations());
    for (int i = 0; i < planned.partitions().size(); i++) {
      gpu.servers().add(new PartitionServer(gpu, i, settings.batching(), timeline, outcomes));
    }
    return gpu;
  }

  private void verify(FleetPlan plan) {
    Map<String, Integer> used = new HashMap<>();
    for (PlannedGpu gpu : plan.gpus()) {
      double share = 0;
      for (Partition partition : gpu.partitions()) {
        share += partition.share().percent();
      }
      int count = used.merge(gpu.device(), 1, Integer::sum);
      int available = settings.gpus().getOrDefault(gpu.device(), 0);
      if (share > Share.WHOLE.percent() + Rounding.SLACK || count > available) {
        throw new IllegalArgumentException(
            "the plan of "
                + plan.strategy()
                + " uses "
                + share
                + " % of a GPU, or "
                + count
                + " of "
                + available
                + " of "
                + gpu.device());
      }
    }
  }
}
