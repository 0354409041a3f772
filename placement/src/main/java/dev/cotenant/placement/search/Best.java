package dev.cotenant.placement.search;

import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.PlacementVerifier;
import dev.cotenant.placement.fleet.RequestSimulation;
import dev.cotenant.placement.fleet.RequestSimulation.Outcome;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.search.Needs.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Plans of fewest missed objectives, then of least cost: searched, bounded, and never worse than
 * those of the strategies that it is given.
 *
 * <p>Under constant arrivals objectives are missed where iGniter's model says so; under Poisson
 * arrivals where more than one request in a hundred is late in {@link RequestSimulation}. The bound
 * holds for plans that give each service a partition of its own (as many as are needed where one
 * GPU cannot serve it) in the device's share units; it is given for one kind of device under
 * constant arrivals, with the requested headroom.
 *
 * <p>Deterministic where the search ends before its time limit; a note says where it did not. The
 * order of services and devices does not matter.
 *
 * @apiNote fewest workloads missed or unplaced, then least cost, by search; takes the plan of any
 *     other but `ideal` that is better | own | yes | stops searching within four seconds
 */
public final class Best implements ServicePlanner {
  static final String NAME = "best";

  private static final int REPAIRS = 4;
  private static final double TIGHTER = 0.97;
  private static final double LATE_SHARE = 0.0085;
  private static final double SEARCH_SHARE = 0.85;

  private final Settings settings;
  private final List<ServicePlanner> others;
  private final LongSupplier nanos;

  /** With no other strategy to compare with. */
  public Best() {
    this(Settings.defaults(), List.of());
  }

  /** Never worse than the others. */
  public Best(Settings settings, List<ServicePlanner> others) {
    this(settings, others, System::nanoTime);
  }

  /** With a clock for the time limit. */
  public Best(Settings settings, List<ServicePlanner> others, LongSupplier nanos) {
    this.settings = settings;
    this.others = List.copyOf(others);
    this.nanos = nanos;
  }

  @Override
  public String name() {
    return NAME;
  }

  /** A plan, its number of missed workloads, and its cost. */
  private record Candidate(FleetPlan plan, int missed, double cost) {
    boolean betterThan(Candidate other) {
      if (missed != other.missed) {
        return missed < other.missed;
      }
      return cost != other.cost ? cost < other.cost : plan.gpus().size() < other.plan.gpus().size();
    }
  }

  @Override
  public FleetPlan plan(Fleet fleet) {
    long millis = (long) (settings.timeLimit().toMillis() * SEARCH_SHARE);
    Effort effort = new Effort(nanos, millis);
    Own own = search(fleet, effort);
    Candidate best = own.candidate();
    OptionalInt bound = best.plan().lowerBoundGpus();
    Optional<String> another = Optional.empty();
    for (ServicePlanner other : others) {
      Candidate candidate = candidate(fleet, other.plan(fleet));
      if (candidate.betterThan(best)) {
        best = candidate;
        bound = OptionalInt.empty();
        another = Optional.of("the plan is that of " + other.name());
      }
    }
    List<String> notes = new ArrayList<>(PlanNotes.of(fleet, best.plan(), bound));
    another.ifPresent(notes::add);
    if (!own.inTime()) {
      notes.add("the search stopped at its time limit");
    }
    return new FleetPlan(NAME, best.plan().gpus(), best.plan().unplaced(), bound, notes);
  }

  /** What the own search found, and whether no part of it was cut short. */
  private record Own(Candidate candidate, boolean inTime) {}

  private Own search(Fleet fleet, Effort effort) {
    Map<String, Double> factors = new HashMap<>();
    Map<Kind, PoissonCurve> curves = new HashMap<>();
    double rateFactor = 1 + settings.throughputHeadroom();
    Candidate best = null;
    boolean inTime = true;
    for (int round = 0; round < REPAIRS; round++) {
      Catalogue.Demand demand =
          new Catalogue.Demand(fleet.arrivals(), rateFactor, Map.copyOf(factors), curves, Map.of());
      FleetSearch search = new FleetSearch(fleet, settings, effort, demand);
      Candidate found = cheapest(fleet, search);
      best = best == null || found.betterThan(best) ? found : best;
      inTime &= search.inTime();
      Set<String> late =
          fleet.arrivals() == Arrivals.POISSON ? nearlyLate(fleet, found.plan()) : Set.of();
      if (late.isEmpty()) {
        break;
      }
      if (effort.isOver()) {
        inTime = false;
        break;
      }
      late.forEach(name -> factors.merge(name, TIGHTER, (a, b) -> a * b));
    }
    return new Own(Objects.requireNonNull(best), inTime);
  }

  private Candidate cheapest(Fleet fleet, FleetSearch search) {
    Candidate best = null;
    for (FleetPlan plan : search.plans()) {
      Candidate candidate = candidate(fleet, plan);
      best = best == null || candidate.betterThan(best) ? candidate : best;
    }
    return Objects.requireNonNull(best);
  }

  /**
   * Services of a plan that are nearly late too often with arrivals of another seed, and all that
   * are like them.
   */
  private Set<String> nearlyLate(Fleet fleet, FleetPlan plan) {
    Set<String> late = new HashSet<>();
    RequestSimulation.Settings simulated =
        RequestSimulation.Settings.of(Arrivals.POISSON, ~settings.seed());
    for (Outcome outcome : new RequestSimulation(fleet, simulated).of(plan)) {
      if (outcome.lateShare() > LATE_SHARE) {
        late.add(outcome.service());
      }
    }
    Set<Service> alike = new HashSet<>();
    for (Service service : fleet.services()) {
      if (late.contains(service.name())) {
        alike.add(nameless(service));
      }
    }
    fleet.services().stream()
        .filter(service -> alike.contains(nameless(service)))
        .forEach(service -> late.add(service.name()));
    return late;
  }

  private static Service nameless(Service service) {
    return service.named("");
  }

  private Candidate candidate(Fleet fleet, FleetPlan plan) {
    int missed =
        switch (fleet.arrivals()) {
          case CONSTANT -> new PlacementVerifier(fleet).ofServices(plan).missed();
          case POISSON -> late(fleet, plan).size() + plan.unplaced().size();
        };
    return new Candidate(plan, missed, plan.costPerHour(fleet));
  }

  private Set<String> late(Fleet fleet, FleetPlan plan) {
    RequestSimulation.Settings simulated =
        RequestSimulation.Settings.of(Arrivals.POISSON, settings.seed());
    return new RequestSimulation(fleet, simulated).late(plan);
  }
}
