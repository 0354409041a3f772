package dev.cotenant.lab.serving;

import dev.cotenant.lab.requests.ServingTotals;
import dev.cotenant.lab.serving.GpuLetsThroughput.Load;
import dev.cotenant.lab.serving.GpuLetsThroughput.Planning;
import dev.cotenant.placement.fleet.FleetPlan;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Our own planner on gpu-lets: the plans of gpu-lets' strategies for the rates and for up to half
 * more, of which that one is taken with which the fewest of some simulated requests are late or
 * dropped, then the least share. As {@code best} does under Poisson arrivals; the simulation knows
 * neither the requests of the run nor the errors of the interference factor.
 */
final class SimulatedChoice implements Planning {
  private static final List<String> STRATEGIES = List.of("gpulets", "gpulets-nointerference");
  private static final double[] ROOMS = {1, 1.1, 1.25, 1.5};
  private static final Duration TIME = Duration.ofSeconds(5);
  private static final long SEED = -1;

  private final List<GpuLetsRun> runs;
  private final Map<String, Optional<FleetPlan>> chosen = new HashMap<>();

  /**
   * @param runs whose servers plan; the first simulates
   */
  SimulatedChoice(List<GpuLetsRun> runs) {
    this.runs = List.copyOf(runs);
  }

  /** A plan and what became of the simulated requests. */
  private record Tried(FleetPlan plan, ServingTotals totals) {
    double violations() {
      return totals.all().violationShare();
    }
  }

  @Override
  public boolean schedules(Load load, double scale) {
    return plans(load, scale, 1).findAny().isPresent();
  }

  @Override
  public Optional<FleetPlan> plan(Load load, double scale) {
    return Objects.requireNonNull(
        chosen.computeIfAbsent(load.name() + " " + scale, _ -> choose(load, scale)));
  }

  private Optional<FleetPlan> choose(Load load, double scale) {
    return Stream.iterate(0, i -> i < ROOMS.length, i -> i + 1)
        .flatMap(i -> plans(load, scale, ROOMS[i]))
        .distinct()
        .map(plan -> tried(load, scale, plan))
        .min(
            Comparator.comparingDouble(Tried::violations)
                .thenComparingDouble(tried -> tried.plan().sharePercent()))
        .map(Tried::plan);
  }

  private Stream<FleetPlan> plans(Load load, double scale, double room) {
    Map<String, Double> rates = load.rates().apply(room * scale);
    return runs.stream()
        .flatMap(run ->
            STRATEGIES.stream()
                .flatMap(name -> run.server().plan(name, rates, load.objectives()).stream()));
  }

  private Tried tried(Load load, double scale, FleetPlan plan) {
    GpuLetsRun known = runs.getFirst().exactly();
    return new Tried(plan, known.of(load.streams().apply(scale), _ -> plan, TIME, SEED));
  }
}
