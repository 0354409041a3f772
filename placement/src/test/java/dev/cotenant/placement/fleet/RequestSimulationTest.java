package dev.cotenant.placement.fleet;

import static dev.cotenant.placement.fleet.RandomFleets.V100;
import static dev.cotenant.placement.fleet.RandomFleets.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.placement.fleet.RequestSimulation.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestSimulationTest {
  private static final Service VGG = service("W7", "vgg19", 20, 300);
  private static final Service RESNET = service("W4", "resnet50", 20, 400);
  private static final FleetPlan PLAN =
      FleetPlan.of(
          "x",
          List.of(
              PlannedGpu.serving(
                  V100,
                  List.of(
                      Partition.of(Share.ofPercent(60), new Turn("W7", 3, 300)),
                      Partition.of(Share.ofPercent(32.5), new Turn("W4", 4, 400))))),
          List.of());

  private static Fleet fleet(Arrivals arrivals) {
    return new Fleet(
        List.of(RandomFleets.v100(1)), List.of(VGG, RESNET), List.of(), List.of(), arrivals);
  }

  private static List<Outcome> simulate(Arrivals arrivals, long seed) {
    return new RequestSimulation(fleet(arrivals), RequestSimulation.Settings.of(arrivals, seed))
        .of(PLAN);
  }

  private static BatchTimes times(double... latencies) {
    BatchTimes times = new BatchTimes(latencies.length);
    for (int k = 1; k <= latencies.length; k++) {
      times.set(k, latencies[k - 1], latencies[k - 1] - 1);
    }
    return times;
  }

  /**
   * Batches of one take 5 ms, of two 7 ms; the server is free 1 ms earlier. Requests at 0, 1, 2, 3
   * and 30: [0] runs 0–5 and frees at 4; then [1, 2] run 4–11 and free at 10; then [3] 10–15; then
   * [30] 30–35.
   */
  @Test
  void takesWhatWaitsUpToTheBatch() {
    double[] arrivals = {0, 1, 2, 3, 30};

    assertThat(RequestQueue.latenciesMillis(arrivals, times(5, 7)))
        .containsExactly(5, 10, 9, 12, 5);
  }

  /** The same times for both; turns go round: a0 0–5 (free 4), b0 4–9 (8), a1+a2 8–15 (14). */
  @Test
  void goesRoundItsTurns() {
    double[][] arrivals = {{0, 1, 2}, {3}};

    double[][] latencies =
        RequestQueue.latenciesMillis(arrivals, new BatchTimes[] {times(5, 7), times(5)});

    assertThat(latencies[0]).containsExactly(5, 14, 13);
    assertThat(latencies[1]).containsExactly(6);
  }

  @Test
  void neverEndsWithoutFigures() {
    double[][] arrivals = {{0, 1}, {3}};
    BatchTimes none = new BatchTimes(1);

    assertThat(RequestQueue.latenciesMillis(arrivals[0], none))
        .containsExactly(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY);
    assertThat(RequestQueue.latenciesMillis(arrivals, new BatchTimes[] {none, none})[1])
        .containsExactly(Double.POSITIVE_INFINITY);
  }

  @Test
  void keepsEveryRequestAtEqualIntervals() {
    assertThat(simulate(Arrivals.CONSTANT, 1))
        .hasSize(2)
        .allSatisfy(outcome -> {
          assertThat(outcome.lateShare()).isZero();
          assertThat(outcome.keeps(20)).isTrue();
        });
  }

  @Test
  void missesManyWhereRequestsComeAsTheyLike() {
    assertThat(simulate(Arrivals.POISSON, 1))
        .allSatisfy(outcome -> {
          assertThat(outcome.lateShare()).isGreaterThan(0.05);
          assertThat(outcome.keeps(20)).isFalse();
        });
    assertThat(
            new RequestSimulation(
                    fleet(Arrivals.POISSON), RequestSimulation.Settings.of(Arrivals.POISSON, 1))
                .met(PLAN))
        .isZero();
  }

  @Test
  void givesTheSameForTheSameSeed() {
    assertThat(simulate(Arrivals.POISSON, 7)).isEqualTo(simulate(Arrivals.POISSON, 7));
    assertThat(simulate(Arrivals.POISSON, 7)).isNotEqualTo(simulate(Arrivals.POISSON, 8));
  }

  /** M/D/1 with λ = 50/s and 10 ms: half used; the mean wait is ρ·D / 2(1 − ρ) = 5 ms. */
  @Test
  void waitsAsPollaczekAndKhinchinSay() {
    BatchTimes times = new BatchTimes(1);
    times.set(1, 10, 10);
    double[] arrivals = RequestQueue.arrivals(Arrivals.POISSON, 50, 400_000, 3);

    double sum = 0;
    for (double latency : RequestQueue.latenciesMillis(arrivals, times)) {
      sum += latency - 10;
    }

    assertThat(sum / arrivals.length).isCloseTo(5, within(0.1));
  }

  @Test
  void refusesToSimulateNothing() {
    assertThatThrownBy(() -> new RequestSimulation.Settings(Arrivals.POISSON, 0, 1))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("not 0");
  }
}
