package dev.cotenant.serving;

import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.GpuEvaluation;
import dev.cotenant.placement.fleet.GpuEvaluation.TurnPrediction;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.search.WarmStart;
import dev.cotenant.placement.search.WarmStart.Limits;
import dev.cotenant.placement.search.WarmStart.Revision;
import dev.cotenant.serving.Cause.Kind;
import dev.cotenant.serving.ControllerState.ServiceState;
import dev.cotenant.serving.Decision.UnusableRate;
import dev.cotenant.serving.FleetReading.Absent;
import dev.cotenant.serving.FleetReading.Measured;
import dev.cotenant.serving.FleetReading.Rate;
import dev.cotenant.serving.deployment.FleetTarget;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Decides once a period what a fleet of services is to run: nothing new where every objective is
 * kept, else other batches, then shares on the same GPU, then moves, then another GPU; and gives
 * GPUs back when rates have been lower for a while.
 *
 * <p>A pure function of state and reading but for what it remembers about services that are alike,
 * which is for speed alone. Services whose rate cannot be used keep the one that was planned for
 * last, and as long as there is one, nothing is given back. Where no rate can be used, all stays.
 */
public final class FleetController {
  private static final int STRIKES = 2;

  private final Fleet fleet;
  private final ControllerSettings settings;
  private final Observing observing;
  private final Guard guard;
  private final WarmStart planner = new WarmStart();
  private final SortedMap<String, Service> services = new TreeMap<>();

  /**
   * For a fleet.
   *
   * @param fleet with stated rates
   */
  public FleetController(Fleet fleet, ControllerSettings settings) {
    this.fleet = fleet;
    this.settings = settings;
    observing = new Observing(settings.rates());
    guard = new Guard(fleet);
    fleet.services().forEach(service -> services.put(service.name(), service));
  }

  /** Decides after a period. */
  public Decision decide(ControllerState before, FleetReading reading) {
    SortedMap<String, ServiceState> after = new TreeMap<>();
    List<UnusableRate> unusable = new ArrayList<>();
    services.forEach((name, service) -> {
      ServiceState known = state(before, service);
      Measured measured = reading.services().getOrDefault(name, new Absent());
      Observing.Observed observed = observing.observe(known, service.requestsPerSecond(), measured);
      after.put(name, observed.state());
      if (observed instanceof Observing.Refused refused) {
        unusable.add(new UnusableRate(name, refused.why()));
      }
    });
    if (unusable.size() == services.size()) {
      ControllerState state = new ControllerState(before.period() + 1, before.target(), after);
      return new Decision(state, List.of(), unusable, List.of(), false);
    }
    Set<String> late = corrected(before.target(), after, reading);
    return revised(before, after, reading, late, unusable);
  }

  private static ServiceState state(ControllerState before, Service service) {
    ServiceState known = before.services().get(service.name());
    return known == null ? ServiceState.stated(service.requestsPerSecond()) : known;
  }

  private Decision revised(
      ControllerState before,
      SortedMap<String, ServiceState> after,
      FleetReading reading,
      Set<String> late,
      List<UnusableRate> unusable) {
    FleetTarget current = extended(before.target(), late);
    Fleet wanted = wanted(after);
    boolean calm = unusable.isEmpty() && late.isEmpty() && !rises(before, after);
    ControllerSettings.Moves moves = settings.moves();
    Limits limits = new Limits(moves.perPeriod(), calm, moves.price());
    Revision revision = planner.revise(wanted, current.planned(), limits);
    FleetTarget target = current.revised(revision.gpus());
    ControllerState state = new ControllerState(before.period() + 1, target, after);
    return new Decision(
        state,
        changes(before, state, reading, late),
        unusable,
        shortfalls(revision, wanted, target),
        revision.spent());
  }

  private static boolean rises(ControllerState before, SortedMap<String, ServiceState> after) {
    return after.entrySet().stream()
        .anyMatch(each -> {
          ServiceState known = before.services().get(each.getKey());
          return known == null || each.getValue().plannedPerSecond() > known.plannedPerSecond();
        });
  }

  /** Services with the rates that are planned for, and with corrected times. */
  private Fleet wanted(SortedMap<String, ServiceState> states) {
    List<Service> wanted = new ArrayList<>();
    states.forEach((name, state) -> {
      Service service = service(name);
      wanted.add(
          service.atRate(state.plannedPerSecond()).with(corrected(service, state.correction())));
    });
    return fleet.serving(wanted);
  }

  private Service service(String name) {
    Service service = services.get(name);
    if (service == null) {
      throw new IllegalStateException("no service " + name);
    }
    return service;
  }

  private static Map<String, WorkloadProfile> corrected(Service service, double factor) {
    if (factor == 1) {
      return service.profiles();
    }
    Map<String, WorkloadProfile> corrected = new HashMap<>();
    service
        .profiles()
        .forEach((device, profile) ->
            corrected.put(device, profile.with(profile.activeTime().scaledBy(factor))));
    return corrected;
  }

  /**
   * Counts latencies beyond objectives at rates that were planned for, and corrects the model of
   * services with two in a row; these.
   */
  private Set<String> corrected(
      FleetTarget running, SortedMap<String, ServiceState> states, FleetReading reading) {
    Set<String> late = new HashSet<>();
    for (Service service : services.values()) {
      if (reading.services().get(service.name()) instanceof Rate rate) {
        ServiceState state = states.get(service.name());
        OptionalDouble latency = latency(rate);
        if (state != null && latency.isPresent()) {
          boolean isLate =
              latency.getAsDouble() > service.sloMillis()
                  && rate.requestsPerSecond() <= state.plannedPerSecond();
          int strikes = isLate ? state.strikes() + 1 : 0;
          double correction = state.correction();
          if (strikes >= STRIKES) {
            correction =
                guard.correction(running, service, rate.requestsPerSecond(), latency.getAsDouble());
            late.add(service.name());
            strikes = 0;
          }
          states.put(service.name(), with(state, strikes, correction));
        }
      }
    }
    return late;
  }

  /** The 99th percentile, else the mean: where that is beyond the objective, so is the former. */
  private static OptionalDouble latency(Rate rate) {
    OptionalDouble known = rate.p99Millis().isPresent() ? rate.p99Millis() : rate.meanMillis();
    return known.isPresent() && known.getAsDouble() >= 0 ? known : OptionalDouble.empty();
  }

  private static ServiceState with(ServiceState state, int strikes, double correction) {
    return new ServiceState(
        state.rates(),
        state.plannedPerSecond(),
        state.calm(),
        state.doubtful(),
        strikes,
        Math.max(state.correction(), correction));
  }

  private static FleetTarget extended(FleetTarget target, Set<String> late) {
    FleetTarget extended = target;
    for (String service : late.stream().sorted().toList()) {
      extended = Guard.extended(extended, service);
    }
    return extended;
  }

  private List<Change> changes(
      ControllerState before, ControllerState after, FleetReading reading, Set<String> late) {
    return Differences.of(
        before.target(), after.target(), name -> cause(name, before, after, reading, late));
  }

  private Cause cause(
      String name,
      ControllerState before,
      ControllerState after,
      FleetReading reading,
      Set<String> late) {
    ServiceState now = after.services().get(name);
    Service service = services.get(name);
    if (now == null || service == null) {
      return new Cause(Kind.REMOVED, 0, 0, 0, OptionalDouble.empty(), 0);
    }
    ServiceState known = before.services().get(name);
    double planned = known == null ? service.requestsPerSecond() : known.plannedPerSecond();
    boolean ran =
        before.target().replicas().values().stream()
            .anyMatch(placed -> placed.replica().service().equals(name));
    Kind kind =
        !ran
            ? Kind.NEW
            : late.contains(name)
                ? Kind.LATENCY
                : now.plannedPerSecond() > planned
                    ? Kind.RATE_ROSE
                    : now.plannedPerSecond() < planned ? Kind.RATE_FELL : Kind.NEIGHBOURS;
    OptionalDouble latency =
        reading.services().get(name) instanceof Rate rate ? latency(rate) : OptionalDouble.empty();
    return new Cause(
        kind, now.rates().average(), planned, now.plannedPerSecond(), latency, service.sloMillis());
  }

  private static List<Decision.Shortfall> shortfalls(
      Revision revision, Fleet wanted, FleetTarget target) {
    if (revision.shortfalls().isEmpty()) {
      return List.of();
    }
    GpuEvaluation evaluation = new GpuEvaluation(wanted);
    Map<String, Double> served = new HashMap<>();
    Map<String, Service> services = new HashMap<>();
    wanted.services().forEach(service -> services.put(service.name(), service));
    for (PlannedGpu gpu : target.planned()) {
      for (List<TurnPrediction> turns : evaluation.of(gpu)) {
        TurnPrediction turn = turns.getFirst();
        Service service = services.get(turn.service());
        boolean inTime = service != null && turn.worstMillis() <= service.sloMillis();
        served.merge(turn.service(), inTime ? turn.throughputPerSecond() : 0, Double::sum);
      }
    }
    List<Decision.Shortfall> shortfalls = new ArrayList<>();
    for (WarmStart.Shortfall each : revision.shortfalls()) {
      Service service = services.get(each.service());
      double needed = service == null ? 0 : service.requestsPerSecond();
      shortfalls.add(
          new Decision.Shortfall(
              each.service(),
              needed,
              Math.min(needed, served.getOrDefault(each.service(), 0.0)),
              each.moreGpus(),
              each.device(),
              each.reasons()));
    }
    return shortfalls;
  }
}
