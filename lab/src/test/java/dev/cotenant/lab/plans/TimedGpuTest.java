package dev.cotenant.lab.plans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.lab.plans.TimedGpu.Period;
import dev.cotenant.lab.plans.TimedGpu.Reading;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.RequestSimulation;
import dev.cotenant.placement.fleet.Turn;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimedGpuTest {
  private static final Fleet FLEET = IgniterFleets.twelve();

  private static PlannedGpu gpu(double w1, double w5) {
    return PlannedGpu.serving(
        IgniterFleets.V100,
        List.of(
            Partition.of(Share.ofPercent(w1), new Turn("W1", 6, 1200)),
            Partition.of(Share.ofPercent(w5), new Turn("W5", 9, 600))));
  }

  private static List<Period> run(PlannedGpu gpu, double error, TimedGpu.Controller controller) {
    TimedGpu.Settings settings = new TimedGpu.Settings(500, 10, List.of(error, 0.0));
    return new TimedGpu(FLEET, gpu, settings).run(controller);
  }

  private static List<Reading> ofFirst(List<Period> periods) {
    return periods.stream().map(period -> period.readings().getFirst()).toList();
  }

  /** Without error and controller, a run in periods gives the latencies of one pass. */
  @Test
  void servesAsTheSimulationOfRequestsDoes() {
    PlannedGpu gpu = gpu(22.5, 50);
    FleetPlan plan = FleetPlan.of("given", List.of(gpu), List.of());
    RequestSimulation simulation =
        new RequestSimulation(FLEET, new RequestSimulation.Settings(Arrivals.CONSTANT, 6_000, 1));

    List<Reading> readings = ofFirst(run(gpu, 0, TimedGpu.Controller.NONE));

    assertThat(readings.stream().mapToInt(Reading::served).sum()).isBetween(5_994, 6_000);
    assertThat(readings.getLast().p99Millis())
        .isCloseTo(simulation.of(plan).getFirst().p99Millis(), within(0.05));
  }

  @Test
  void replacesAViolatedWorkloadAfterAFirstSecondAndAHalf() {
    List<Period> periods = run(gpu(22.5, 50), 0.3, new ShadowProcess(FLEET));

    List<Double> shares =
        periods.stream().map(p -> p.gpu().partitions().getFirst().share().percent()).toList();
    assertThat(shares.subList(0, 3)).containsOnly(22.5);
    assertThat(shares.subList(3, 10)).containsOnly(32.5);
    assertThat(ofFirst(periods).get(2).p99Millis()).isGreaterThan(10);
    assertThat(ofFirst(periods).subList(3, 10)).allMatch(reading -> reading.p99Millis() < 10);
    assertThat(ofFirst(periods).get(3).failed()).isPositive();
    assertThat(periods.getLast().gpu().partitions().get(1).share().percent()).isEqualTo(50);
  }

  @Test
  void givesTheShadowProcessNoMoreThanTheGpuHasLeft() {
    List<Period> periods = run(gpu(22.5, 73.5), 0.5, new ShadowProcess(FLEET));

    assertThat(periods.getLast().gpu().partitions().getFirst().share().percent()).isEqualTo(26.5);
    assertThat(run(gpu(22.5, 77.5), 0.5, new ShadowProcess(FLEET)).getLast().gpu())
        .isEqualTo(gpu(22.5, 77.5));
  }

  @Test
  void countsEveryRequestAsServedFailedOrWaiting() {
    List<Reading> readings = ofFirst(run(gpu(22.5, 50), 0.3, new ShadowProcess(FLEET)));

    int served = readings.stream().mapToInt(Reading::served).sum();
    int failed = readings.stream().mapToInt(Reading::failed).sum();
    assertThat(served + failed).isBetween(6_000 - 6, 6_000);
  }

  /** Far below half its objective, the share falls by ten points, ten seconds later. */
  @Test
  void tunesAnIdleWorkloadDown() {
    TimedGpu.Settings settings = new TimedGpu.Settings(1_000, 24, Collections.nCopies(2, 0.0));
    List<Period> periods =
        new TimedGpu(FLEET, gpu(40, 50), settings).run(new MeasuredTuning(FLEET, 1_000, 12_000));

    List<Double> shares =
        periods.stream().map(p -> p.gpu().partitions().getFirst().share().percent()).toList();
    assertThat(shares.subList(0, 22)).containsOnly(40.0);
    assertThat(shares.subList(22, 24)).containsOnly(30.0);
  }

  @Test
  void refusesErrorsForOtherPartitions() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new TimedGpu(FLEET, gpu(20, 50), new TimedGpu.Settings(500, 1, List.of(0.1))))
        .withMessageContaining("1 errors for 2 partitions");
  }
}
