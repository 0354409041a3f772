package dev.cotenant.engine.plan;

import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.GpuEvaluation;
import dev.cotenant.placement.fleet.GpuEvaluation.TurnPrediction;
import dev.cotenant.placement.fleet.Job;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.RequestSimulation;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.Turn;
import dev.cotenant.placement.fleet.Unplaced;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Plans with predictions, for one request. */
final class PlanViews {
  private static final long SEED = 1;

  private final FleetPlanRequest request;
  private final Fleet fleet;
  private final GpuEvaluation evaluation;
  private final Map<String, Service> services = new HashMap<>();
  private final Map<String, Job> jobs = new HashMap<>();

  PlanViews(FleetPlanRequest request) {
    this.request = request;
    fleet = request.fleet();
    evaluation = new GpuEvaluation(fleet);
    fleet.services().forEach(service -> services.put(service.name(), service));
    fleet.jobs().forEach(job -> jobs.put(job.name(), job));
  }

  PlanView of(String strategy, FleetPlan plan, double elapsedMillis) {
    Map<String, RequestSimulation.Outcome> simulated = simulate(plan);
    List<PlanView.GpuEntry> gpus = new ArrayList<>();
    Set<String> violated = new TreeSet<>();
    for (PlannedGpu gpu : plan.gpus()) {
      List<PlanView.PlacedWorkload> workloads = workloads(gpu, simulated);
      workloads.stream()
          .filter(workload -> !workload.meets())
          .forEach(workload -> violated.add(workload.name()));
      List<PlanView.PlacedJob> trained = gpu.jobs().stream().map(name -> job(gpu, name)).toList();
      gpus.add(new PlanView.GpuEntry(gpu.device(), gpus.size(), workloads, trained));
    }
    OptionalInt bound = plan.lowerBoundGpus();
    return new PlanView(
        strategy,
        fleet.arrivals().name().toLowerCase(Locale.ROOT),
        gpus,
        plan.costPerHour(fleet),
        violated.size(),
        bound.isPresent() ? bound.getAsInt() : null,
        unplaced(plan),
        Stream.concat(plan.notes().stream(), request.notes().stream()).toList(),
        elapsedMillis);
  }

  /** What a strategy says that does not plan such a fleet. */
  PlanView refused(String strategy, String why) {
    List<PlanView.UnplacedEntry> entries = new ArrayList<>();
    Stream.concat(
            fleet.services().stream().map(Service::name), fleet.jobs().stream().map(Job::name))
        .forEach(name -> entries.add(new PlanView.UnplacedEntry(name, List.of(why))));
    String arrivals = fleet.arrivals().name().toLowerCase(Locale.ROOT);
    return new PlanView(strategy, arrivals, List.of(), 0, 0, null, entries, List.of(), 0);
  }

  private Map<String, RequestSimulation.Outcome> simulate(FleetPlan plan) {
    Map<String, RequestSimulation.Outcome> byName = new HashMap<>();
    if (fleet.arrivals() == Arrivals.POISSON) {
      new RequestSimulation(fleet, RequestSimulation.Settings.of(Arrivals.POISSON, SEED))
          .of(plan)
          .forEach(outcome -> byName.put(outcome.service(), outcome));
    }
    return byName;
  }

  private List<PlanView.PlacedWorkload> workloads(
      PlannedGpu gpu, Map<String, RequestSimulation.Outcome> simulated) {
    List<PlanView.PlacedWorkload> entries = new ArrayList<>();
    if (gpu.partitions().isEmpty()) {
      return entries;
    }
    List<List<TurnPrediction>> predictions = evaluation.of(gpu);
    for (int i = 0; i < predictions.size(); i++) {
      Partition partition = gpu.partitions().get(i);
      for (int k = 0; k < predictions.get(i).size(); k++) {
        TurnPrediction prediction = predictions.get(i).get(k);
        Turn turn = partition.turns().get(k);
        Fate fate = fate(prediction, simulated.get(turn.service()));
        entries.add(
            new PlanView.PlacedWorkload(
                turn.service(),
                i,
                partition.share().percent(),
                turn.batch(),
                turn.requestsPerSecond(),
                finite(prediction.latencyMillis()),
                prediction.throughputPerSecond(),
                fate.p99Millis,
                fate.slackMillis,
                fate.meets));
      }
    }
    return entries;
  }

  private record Fate(@Nullable Double p99Millis, @Nullable Double slackMillis, boolean meets) {}

  private Fate fate(TurnPrediction prediction, RequestSimulation.@Nullable Outcome simulated) {
    double objective = Objects.requireNonNull(services.get(prediction.service())).sloMillis();
    if (simulated == null) {
      return new Fate(null, finite(objective - prediction.worstMillis()), prediction.meets());
    }
    double p99 = simulated.p99Millis();
    return new Fate(finite(p99), finite(objective - p99), simulated.keeps(objective));
  }

  private static @Nullable Double finite(double value) {
    return Double.isFinite(value) ? value : null;
  }

  private PlanView.PlacedJob job(PlannedGpu gpu, String name) {
    Job job = Objects.requireNonNull(jobs.get(name), name);
    Job.DevicePrediction prediction = Objects.requireNonNull(job.predictions().get(gpu.device()));
    return new PlanView.PlacedJob(
        name,
        prediction.utilization().percent(),
        prediction.peakMemory().bytes(),
        job.requested().bytes());
  }

  private List<PlanView.UnplacedEntry> unplaced(FleetPlan plan) {
    List<PlanView.UnplacedEntry> entries = new ArrayList<>();
    for (FleetPlanRequest.Refused refused : request.refused()) {
      entries.add(new PlanView.UnplacedEntry(refused.name(), List.of(refused.problem())));
    }
    for (Unplaced unplaced : plan.unplaced()) {
      entries.add(
          new PlanView.UnplacedEntry(
              unplaced.name(), unplaced.reasons().stream().map(PlanReason::sentence).toList()));
    }
    return entries;
  }
}
