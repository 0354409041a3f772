package dev.cotenant.lab.inss;

import static dev.cotenant.lab.TestInputs.figure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.requests.ModelDurations;
import dev.cotenant.lab.requests.RateCurve;
import dev.cotenant.lab.requests.Replanning.Margin;
import dev.cotenant.lab.requests.RequestStream;
import dev.cotenant.lab.requests.ServingPolicy;
import dev.cotenant.lab.requests.ServingSettings;
import dev.cotenant.lab.requests.ServingSettings.Batching;
import dev.cotenant.lab.requests.ServingSettings.Control;
import dev.cotenant.lab.requests.ServingSettings.Traffic;
import dev.cotenant.lab.requests.ServingSimulation;
import dev.cotenant.lab.requests.ServingTotals;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.BatchTimes;
import dev.cotenant.placement.igniter.IgniterPlanner;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Short forms of the preset, and policies on one model. */
class OnlinePoliciesTest {
  private static final Control SECONDS =
      new Control(
          Duration.ofSeconds(1),
          0.3,
          Duration.ofSeconds(1),
          Duration.ofSeconds(10),
          Duration.ofSeconds(15));

  private final InssServer server = InssServer.ofSix();

  /** One seed of a minute of each table. */
  @Test
  void everyPolicyServesEveryShapeOfRates() {
    List<Cell> cells = new ChangingRates(List.of(), Duration.ofMinutes(1)).run(1, _ -> {});

    assertThat(cells).hasSize(4 * 6 * OnlinePolicies.all(server).size());
    assertThat(figure(cells, OnlinePolicies.BDA, "moves")).isZero();
    assertThat(figure(cells, OnlinePolicies.BEST, "mean_gpus")).isLessThan(4);
    assertThat(cells)
        .filteredOn(cell -> cell.metric().equals("in_time_per_second"))
        .allMatch(cell -> cell.ours().mean() > 100);
  }

  /** The paper's order of throughputs: InSS, gpu-lets and GSLICE, iGniter; two minutes. */
  @Test
  void theLearnedPlacementServesMoreThanTheOthersAndFilledGpusLeastLate() {
    List<Cell> cells = new InssServing(Duration.ofMinutes(2)).run(1, _ -> {});

    String throughput = "throughput_over_inss";
    double igniter = figure(cells, "igniter", throughput);
    assertThat(figure(cells, "gpulets", throughput)).isBetween(1.5 * igniter, 1.0);
    assertThat(figure(cells, "gslice", throughput)).isBetween(1.5 * igniter, 1.0);
    for (String policy : List.of("gpulets", "gslice", "igniter")) {
      assertThat(figure(cells, policy, "violation_percent"))
          .isGreaterThan(figure(cells, "inss-bda, filled", "violation_percent"));
    }
    assertThat(figure(cells, "best, rising rates ahead", "mean_gpus")).isLessThan(4);
    assertThat(figure(cells, "most throughput, rising rates ahead", throughput)).isGreaterThan(1.1);
    assertThat(figure(cells, "controller", "violation_percent")).isLessThan(1);
    assertThat(cells)
        .filteredOn(cell -> cell.metric().equals("violation_percent"))
        .filteredOn(cell -> !cell.policy().equals("inss"))
        .allMatch(Cell::meetsItsBar);
  }

  /**
   * A third longer than predicted: late until the standby process takes over, then not any more.
   */
  @Test
  void theGuardTakesOverAtOnceAndTheCorrectionStays() {
    ServingTotals guarded = serve(guarded(), 1.3);
    ServingTotals planned = serve(once(), 1.3);

    assertThat(guarded.reorganisations()).isZero();
    assertThat(guarded.moves()).isPositive();
    assertThat(guarded.periods().getLast().plan().sharePercent())
        .isLessThanOrEqualTo(guarded.periods().getFirst().plan().sharePercent() + 10);
    assertThat(guarded.all().violationShare()).isLessThan(planned.all().violationShare() / 2);
  }

  @Test
  void withoutAnErrorTheGuardDoesNothing() {
    assertThat(serve(guarded(), 1).moves()).isZero();
  }

  private ServingPolicy guarded() {
    return new GuardedPlans(
        server::fleet, IgniterPlanner.IGNITER, Margin.NONE.targets(), Integer.MAX_VALUE);
  }

  private ServingPolicy once() {
    return seen ->
        seen.current().gpus().isEmpty()
            ? IgniterPlanner.IGNITER.plan(server.fleet(seen.rates()))
            : seen.current();
  }

  private static BatchTimes longer(BatchTimes times, double by) {
    BatchTimes longer = new BatchTimes(times.largest());
    for (int k = 1; k <= times.largest(); k++) {
      longer.set(k, by * times.latencyMillis(k), by * times.busyMillis(k));
    }
    return longer;
  }

  /** VGG16 alone, evenly, at times that are longer than predicted. */
  private ServingTotals serve(ServingPolicy policy, double longer) {
    InssServer.Model model = server.models().get(2);
    double rate = 0.4 * server.wholeRate(model);
    ModelDurations predicted = new ModelDurations(server.fleet(Map.of(model.name(), rate)), 0, 1);
    ServingSettings settings =
        new ServingSettings(
            server.gpus(),
            (gpu, running, partition) -> longer(predicted.times(gpu, running, partition), longer),
            Batching.WHAT_WAITS,
            SECONDS,
            new Traffic(Arrivals.CONSTANT, Duration.ofSeconds(60), 1));
    RequestStream stream =
        RequestStream.of(model.name(), model.sloMillis(), RateCurve.constant(rate));
    return ServingSimulation.run(settings, List.of(stream), policy);
  }
}
