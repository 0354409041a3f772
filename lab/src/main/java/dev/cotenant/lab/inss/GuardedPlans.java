package dev.cotenant.lab.inss;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.lab.requests.Observation;
import dev.cotenant.lab.requests.Replanning;
import dev.cotenant.lab.requests.Replanning.Targets;
import dev.cotenant.lab.requests.ServingPolicy;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.ServicePlanner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Plans again every few calls, and in between iGniter's guard: where the 99th percentile of a
 * service is beyond its objective in two calls in a row, a standby process with min(10 %, what the
 * GPU has left) more takes over at once, and from then on the service's times count as longer by
 * what was measured over the objective [iGniter, sections 4.2 and 5.3].
 *
 * <p>The paper corrects nothing: without it the next plan would give the share back.
 */
final class GuardedPlans implements ServingPolicy {
  private static final int MAX_EXTRA_PERMILLE = 100;

  /** Beyond it the objective is missed for want of capacity, not by an error of the model. */
  private static final double MAX_CORRECTION = 1.3;

  private final int every;
  private final Replanning planning;
  private final Function<Map<String, Double>, Fleet> fleets;
  private final Map<String, Double> corrections = new HashMap<>();
  private final Map<String, Double> objectives = new HashMap<>();
  private final List<String> suspected = new ArrayList<>();
  private int calls;
  private Optional<FleetPlan> standby = Optional.empty();

  /**
   * @param fleets with services at rates
   * @param targets what is planned for
   * @param every how many calls a plan is made in
   */
  GuardedPlans(
      Function<Map<String, Double>, Fleet> fleets,
      ServicePlanner planner,
      Targets targets,
      int every) {
    this.every = every;
    this.fleets = fleets;
    planning = new Replanning(new PartOfRates(this::corrected, planner), targets);
  }

  private Fleet corrected(Map<String, Double> rates) {
    Fleet fleet = fleets.apply(rates);
    return fleet.serving(fleet.services().stream().map(this::corrected).toList());
  }

  private Service corrected(Service service) {
    double by = corrections.getOrDefault(service.name(), 1.0);
    Map<String, WorkloadProfile> longer = new TreeMap<>();
    service
        .profiles()
        .forEach((device, profile) ->
            longer.put(device, profile.with(profile.activeTime().scaledBy(by))));
    objectives.put(service.name(), service.sloMillis());
    return service.with(longer);
  }

  @Override
  public boolean hasStandby(FleetPlan plan) {
    return standby.isPresent() && plan.gpus().equals(standby.orElseThrow().gpus());
  }

  @Override
  public FleetPlan plan(Observation seen) {
    standby = Optional.empty();
    if (calls++ % every == 0) {
      return planning.plan(seen);
    }
    List<String> late = new ArrayList<>();
    seen.services()
        .forEach((service, own) -> {
          if (own.p99Millis() > objectives.getOrDefault(service, Double.POSITIVE_INFINITY)) {
            late.add(service);
          }
        });
    List<String> twice = late.stream().filter(suspected::contains).toList();
    suspected.clear();
    suspected.addAll(late);
    return twice.isEmpty() ? seen.current() : guarded(seen, twice);
  }

  private FleetPlan guarded(Observation seen, List<String> late) {
    List<PlannedGpu> gpus =
        seen.current().gpus().stream().map(gpu -> guarded(gpu, late, seen)).toList();
    FleetPlan plan = FleetPlan.of(seen.current().strategy(), gpus, List.of());
    standby = Optional.of(plan);
    return plan;
  }

  private PlannedGpu guarded(PlannedGpu gpu, List<String> late, Observation seen) {
    int left = Share.WHOLE.permille();
    for (Partition partition : gpu.partitions()) {
      left -= partition.share().permille();
    }
    List<Partition> partitions = new ArrayList<>();
    for (Partition partition : gpu.partitions()) {
      String service = partition.turns().getFirst().service();
      int extra = late.contains(service) ? Math.min(MAX_EXTRA_PERMILLE, left) : 0;
      // A service is corrected once: later violations are those of its rate.
      if (extra > 0 && !corrections.containsKey(service)) {
        left -= extra;
        Observation.Seen own = seen.services().get(service);
        double over = own == null ? 1 : own.p99Millis() / objectives.getOrDefault(service, 1.0);
        corrections.put(service, Math.min(MAX_CORRECTION, over));
        partitions.add(
            new Partition(new Share(partition.share().permille() + extra), partition.turns()));
      } else {
        partitions.add(partition);
      }
    }
    return PlannedGpu.serving(gpu.device(), partitions);
  }
}
