package dev.cotenant.lab.requests;

import static dev.cotenant.lab.requests.Servers.SERVE_ALL;
import static dev.cotenant.lab.requests.Servers.gpu;
import static dev.cotenant.lab.requests.Servers.linear;
import static dev.cotenant.lab.requests.Servers.partition;
import static dev.cotenant.lab.requests.Servers.plan;
import static dev.cotenant.lab.requests.Servers.seconds;
import static dev.cotenant.lab.requests.Servers.settings;
import static dev.cotenant.lab.requests.Servers.whole;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.lab.requests.RequestStream.Part;
import dev.cotenant.lab.requests.RequestStream.Stage;
import dev.cotenant.lab.requests.ServingSettings.Batching;
import dev.cotenant.lab.requests.ServingSettings.Late;
import dev.cotenant.lab.requests.ServingSettings.Traffic;
import dev.cotenant.lab.requests.ServingTotals.Counts;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.BatchTimes;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.RequestQueue;
import dev.cotenant.placement.fleet.Turn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServingSimulationTest {
  private static RequestStream stream(String service, double slo, double rate) {
    return RequestStream.of(service, slo, RateCurve.constant(rate));
  }

  private static ServingTotals.Stream only(ServingTotals totals) {
    return totals.streams().getFirst();
  }

  /** M/D/1: the mean wait is ρ·D / 2(1 − ρ). */
  @ParameterizedTest
  @ValueSource(doubles = {0.3, 0.5, 0.8})
  void waitsAsPollaczekAndKhinchinSay(double load) {
    ServingTotals totals =
        ServingSimulation.run(
            settings(linear(0, 10), SERVE_ALL, 20_000),
            List.of(stream("m", 1e6, 100 * load)),
            _ -> whole("m", 1));

    double wait = 10 * load / (2 * (1 - load));
    assertThat(only(totals).meanMillis()).isCloseTo(10 + wait, within(0.01 * (10 + wait)));
  }

  /** L = λ·W, where L is integrated over time and W averaged over requests. */
  @Test
  void holdsAsManyRequestsAsLittleSays() {
    ServingTotals totals =
        ServingSimulation.run(
            settings(linear(5, 1), SERVE_ALL, 5_000),
            List.of(stream("m", 1e6, 400), stream("n", 1e6, 100)),
            _ ->
                plan(
                    gpu(
                        partition(60, new Turn("m", 16, 400)),
                        partition(40, new Turn("n", 4, 100)))));

    for (ServingTotals.Stream each : totals.streams()) {
      double rate = each.counts().arrived() / totals.seconds();
      double expected = rate * each.meanMillis() / 1000;
      assertThat(each.meanInFlight()).isCloseTo(expected, within(0.01 * expected));
    }
  }

  /** Neighbours without influence: every partition is the queue that plans are tried with. */
  @Test
  void servesAsTheQueueOfThePlanner() {
    int batch = 8;
    BatchTimes times = new BatchTimes(batch);
    for (int k = 1; k <= batch; k++) {
      times.set(k, 5.0 + k, 5.0 + k);
    }
    RateCurve rates = RateCurve.constant(500);
    ServingTotals totals =
        ServingSimulation.run(
            settings(linear(5, 1), SERVE_ALL, 1_000),
            List.of(RequestStream.of("m", 1e6, rates)),
            _ -> whole("m", batch));

    double mean = 0;
    double[] latencies = RequestQueue.latenciesMillis(arrivals(rates, 1_000), times);
    for (double latency : latencies) {
      mean += latency / latencies.length;
    }
    assertThat(only(totals).counts().arrived()).isEqualTo(latencies.length);
    assertThat(only(totals).meanMillis()).isCloseTo(mean, within(1e-4));
  }

  /** The arrivals of the only stream of seed 1, milliseconds. */
  private static double[] arrivals(RateCurve rates, double seconds) {
    SplittableRandom seeds = new SplittableRandom(1);
    seeds.split();
    ArrivalProcess process = new ArrivalProcess(rates, Arrivals.POISSON, seeds.split());
    return LongStream.generate(process::next)
        .takeWhile(at -> at <= seconds * 1e9)
        .mapToDouble(at -> at / 1e6)
        .toArray();
  }

  /** Every arrival is served, late, dropped or in flight, with partitions that change at random. */
  @Test
  void losesNoRequestWhilePartitionsChange() {
    for (int seed = 0; seed < 20; seed++) {
      Traffic traffic = new Traffic(Arrivals.POISSON, seconds(200), seed);
      ServingTotals totals =
          ServingSimulation.run(
              settings(linear(4, 1), new Batching(0.2, Late.DROPPED), traffic),
              List.of(
                  RequestStream.of(
                      "m",
                      40,
                      RateCurve.recorded(25, new double[] {30, 300, 570, 300, 30, 300, 570, 300})),
                  RequestStream.of("n", 60, RateCurve.recorded(50, new double[] {0, 200, 50})),
                  twoStages(120, 20)),
              new RandomPlans(seed));

      Counts all = totals.all();
      Counts periods =
          totals.periods().stream()
              .map(ServingTotals.Period::counts)
              .reduce(new Counts(0, 0, 0, 0), Counts::plus);
      assertThat(totals.reorganisations()).isPositive();
      assertThat(inFlight(all)).isBetween(0L, 200L);
      assertThat(all.dropped() + all.late()).isPositive();
      assertThat(periods.arrived()).isLessThanOrEqualTo(all.arrived());
      for (ServingTotals.Stream each : totals.streams()) {
        assertThat(inFlight(each.counts())).isNotNegative();
      }
      assertThat(all.arrived()).isCloseTo(expectedArrivals(), within(2_000L));
    }
  }

  private static long inFlight(Counts counts) {
    return counts.arrived() - counts.inTime() - counts.late() - counts.dropped();
  }

  /** 200 s of 300/s, of 0, 200, 50 and 50/s by 50 s, and of 20/s. */
  private static long expectedArrivals() {
    return 200 * 300 + 50 * 300 + 200 * 20;
  }

  private static RequestStream twoStages(double slo, double rate) {
    return new RequestStream(
        "chain",
        slo,
        List.of(
            new Stage(List.of(new Part("m", 1))),
            new Stage(List.of(new Part("n", 2), new Part("m", 1)))),
        RateCurve.constant(rate));
  }

  /** Other partitions every period. */
  private static final class RandomPlans implements ServingPolicy {
    private final SplittableRandom random;

    RandomPlans(long seed) {
      random = new SplittableRandom(seed);
    }

    @Override
    public FleetPlan plan(Observation seen) {
      double share = 10 + random.nextInt(80);
      int batch = 1 + random.nextInt(16);
      return switch (random.nextInt(3)) {
        case 0 ->
            beside(
                partition(share, new Turn("m", batch, 1)),
                partition(100 - share, new Turn("n", batch, 1)));
        case 1 -> beside(partition(share, new Turn("m", batch, 1), new Turn("n", batch, 2)));
        default -> whole("m", batch);
      };
    }

    private static FleetPlan beside(Partition... partitions) {
      return Servers.plan(gpu(partitions), gpu(partition(50, new Turn("n", 2, 1))));
    }
  }

  @Test
  void givesTheSameForTheSameSeed() {
    List<ServingTotals> runs = new ArrayList<>();
    for (long seed : new long[] {7, 7, 8}) {
      Traffic traffic = new Traffic(Arrivals.POISSON, seconds(60), seed);
      runs.add(
          ServingSimulation.run(
              settings(linear(4, 1), Batching.WHAT_WAITS, traffic),
              List.of(stream("m", 20, 300), twoStages(60, 50)),
              new RandomPlans(3)));
    }

    assertThat(runs.get(0)).isEqualTo(runs.get(1));
    assertThat(runs.get(0)).isNotEqualTo(runs.get(2));
  }

  /** A chain of 10 ms and then two inferences of 10 ms one after the other takes 30 ms. */
  @Test
  void measuresAChainFromItsArrivalToItsLastPart() {
    RequestStream chain =
        new RequestStream(
            "chain",
            29.5,
            List.of(new Stage(List.of(new Part("m", 1))), new Stage(List.of(new Part("n", 2)))),
            RateCurve.constant(1));
    Traffic traffic = new Traffic(Arrivals.CONSTANT, seconds(10.5), 1);

    ServingTotals totals =
        ServingSimulation.run(
            settings(linear(0, 10), SERVE_ALL, traffic),
            List.of(chain),
            _ -> plan(gpu(partition(50, new Turn("m", 1, 1)), partition(50, new Turn("n", 1, 2)))));

    assertThat(only(totals).meanMillis()).isCloseTo(30, within(1e-6));
    assertThat(only(totals).counts()).isEqualTo(new Counts(10, 0, 10, 0));
  }

  /** Every 2.5 ms one request, batches of 4 that take 10 ms, wait at most 5 of 50 ms. */
  @Test
  void waitsForTheBatchUpToItsPartOfTheObjective() {
    Traffic traffic = new Traffic(Arrivals.CONSTANT, seconds(10), 1);
    Batching fills = new Batching(0.1, Late.SERVED);

    double slow =
        only(ServingSimulation.run(
                settings(linear(10, 0), fills, traffic),
                List.of(stream("m", 50, 40)),
                _ -> whole("m", 4)))
            .meanMillis();
    double fast =
        only(ServingSimulation.run(
                settings(linear(1, 0), fills, traffic),
                List.of(stream("m", 50, 1_000)),
                _ -> whole("m", 4)))
            .meanMillis();

    assertThat(slow).isCloseTo(15, within(1e-3));
    assertThat(fast).isCloseTo(1 + (3 + 2 + 1) / 4.0, within(1e-2));
  }

  /** Twice the requests that a partition serves, with an objective of five batches. */
  @Test
  void dropsWhatCannotBeInTimeAndServesTheRestInTime() {
    Counts counts =
        ServingSimulation.run(
                settings(linear(0, 10), Batching.WHAT_WAITS, 200),
                List.of(stream("m", 50, 200)),
                _ -> whole("m", 1))
            .all();

    assertThat(counts.late()).isZero();
    assertThat((double) counts.inTime() / counts.arrived()).isCloseTo(0.5, within(0.02));
    assertThat(counts.violationShare()).isCloseTo(0.5, within(0.02));
  }

  @Test
  void dropsRequestsOfAServiceWithoutAPlace() {
    Counts counts =
        ServingSimulation.run(
                settings(linear(0, 1), SERVE_ALL, 10), List.of(stream("m", 50, 100)), _ -> plan())
            .all();

    assertThat(counts.dropped()).isEqualTo(counts.arrived()).isPositive();
  }

  /** The old partition serves for the 10 to 15 s that the new one takes; then the new one does. */
  @Test
  void makesNewPartitionsBeforeItBreaksOldOnes() {
    List<Double> shares = new ArrayList<>();
    ServingTotals totals =
        ServingSimulation.run(
            settings(linear(0, 1), Batching.WHAT_WAITS, 100.5),
            List.of(stream("m", 50, 200)),
            seen -> {
              double percent = seen.now().toSeconds() < 40 ? 50 : 80;
              return plan(gpu(partition(percent, new Turn("m", 4, 200))));
            });
    totals.periods().forEach(period -> shares.add(period.sharePercent()));

    assertThat(shares).containsExactly(50.0, 50.0, 80.0, 80.0, 80.0);
    assertThat(totals.reorganisations()).isEqualTo(1);
    assertThat(totals.all().violationShare()).isZero();
  }

  /** Other batches in the same partitions need no reorganisation. */
  @Test
  void changesBatchesAtOnce() {
    ServingTotals totals =
        ServingSimulation.run(
            settings(linear(5, 0), SERVE_ALL, 100.5),
            List.of(stream("m", 50, 150)),
            seen -> whole("m", seen.now().isZero() ? 1 : 8));

    assertThat(totals.reorganisations()).isZero();
    assertThat(totals.periods().getLast().counts().inTime()).isCloseTo(3_000, within(300L));
  }

  /** The two partitions in another order are the same processes. */
  @Test
  void needsNoReorganisationForAnotherOrderOfPartitions() {
    Partition large = partition(80, new Turn("m", 4, 100));
    Partition small = partition(20, new Turn("n", 1, 10));
    ServingTotals totals =
        ServingSimulation.run(
            settings(linear(1, 1), SERVE_ALL, 100.5),
            List.of(stream("m", 50, 100), stream("n", 50, 10)),
            seen -> plan(seen.now().toSeconds() % 40 == 0 ? gpu(large, small) : gpu(small, large)));

    assertThat(totals.reorganisations()).isZero();
  }

  /** Pairs of requests 1 ms apart at two places that take 10 ms: none waits behind another. */
  @Test
  void sendsARequestToAFreePartition() {
    RateCurve pairs = RateCurve.recorded(0.01, pulses(0.01, 0.05, 100));
    Traffic traffic = new Traffic(Arrivals.CONSTANT, seconds(5), 1);
    ServingTotals totals =
        ServingSimulation.run(
            settings(linear(0, 10), SERVE_ALL, traffic),
            List.of(RequestStream.of("m", 50, pairs)),
            _ ->
                plan(
                    gpu(partition(90, new Turn("m", 1, 90)), partition(10, new Turn("m", 1, 10)))));

    assertThat(only(totals).counts().arrived()).isGreaterThan(190);
    assertThat(only(totals).meanMillis()).isCloseTo(10, within(1e-6));
  }

  /** Two requests in the first part of each interval. */
  private static double[] pulses(double part, double interval, int count) {
    int parts = (int) Math.round(interval / part);
    double[] rates = new double[parts * count];
    for (int i = 0; i < rates.length; i += parts) {
      rates[i] = 2 / part;
    }
    return rates;
  }

  /** Batches of 4 every 10 ms at one request in 2.5 ms: the first waits 7.5 ms, the last 0. */
  @Test
  void countsBatchesWithTheirWaits() {
    Traffic traffic = new Traffic(Arrivals.CONSTANT, seconds(10), 1);
    ServingTotals.Batches batches =
        ServingSimulation.run(
                settings(linear(5, 0), new Batching(1, Late.SERVED), traffic),
                List.of(stream("m", 50, 400)),
                _ -> whole("m", 4))
            .batches()
            .getFirst();

    assertThat(batches.service()).isEqualTo("m");
    assertThat(batches.meanSize()).isEqualTo(4).isEqualTo(batches.meanPlanned());
    assertThat(batches.meanWaitMillis()).isCloseTo(2.5 * (3 + 2 + 1) / 4, within(1e-6));
    assertThat(batches.meanLatencyMillis()).isCloseTo(5, within(1e-6));
  }

  @Test
  void refusesAPeriodThatIsNoWholeNumberOfIntervals() {
    Duration second = seconds(1);
    Duration period = seconds(2.5);

    assertThatThrownBy(
            () -> new ServingSettings.Control(second, 0.3, period, Duration.ZERO, Duration.ZERO))
        .hasMessageContaining("whole number of intervals");
  }

  /** The rate doubles at 30 s; after 20 observations of weight 0.3 the average has followed. */
  @Test
  void observesAMovingAverageOfTheRate() {
    List<Double> rates = new ArrayList<>();
    Traffic traffic = new Traffic(Arrivals.CONSTANT, seconds(61), 1);
    ServingSimulation.run(
        settings(linear(0, 1), SERVE_ALL, traffic),
        List.of(RequestStream.of("m", 50, RateCurve.recorded(30, new double[] {100, 200}))),
        seen -> {
          rates.add(seen.rates().get("m"));
          return whole("m", 4);
        });

    assertThat(rates).hasSize(4);
    assertThat(rates.get(0)).isEqualTo(100);
    assertThat(rates.get(1)).isCloseTo(100, within(1.5));
    assertThat(rates.get(2)).isCloseTo(200 - 100 * Math.pow(0.7, 10), within(0.5));
    assertThat(rates.get(3)).isCloseTo(200, within(2.0));
  }

  /** A batch takes twice as long beside a running neighbour. */
  @Test
  void slowsABatchWhileANeighbourRuns() {
    BatchDurations contended =
        (gpu, running, partition) -> {
          double millis = running[1 - partition] == BatchDurations.IDLE ? 10 : 20;
          BatchTimes times = new BatchTimes(1);
          times.set(1, millis, millis);
          return times;
        };
    Traffic traffic = new Traffic(Arrivals.CONSTANT, seconds(10), 1);
    ServingPolicy both =
        _ -> plan(gpu(partition(50, new Turn("m", 1, 1)), partition(50, new Turn("n", 1, 1))));

    ServingTotals totals =
        ServingSimulation.run(
            settings(contended, SERVE_ALL, traffic),
            List.of(stream("m", 50, 10), stream("n", 50, 10)),
            both);

    assertThat(totals.streams().get(0).meanMillis()).isCloseTo(10, within(1e-6));
    assertThat(totals.streams().get(1).meanMillis()).isCloseTo(20, within(1e-6));
  }

  @Test
  void refusesAPlanThatNeedsMoreThanThereIs() {
    ServingSettings settings = settings(linear(0, 1), SERVE_ALL, 10);
    List<RequestStream> streams = List.of(stream("m", 50, 10));
    FleetPlan full =
        plan(gpu(partition(60, new Turn("m", 1, 1)), partition(60, new Turn("m", 1, 1))));
    FleetPlan many =
        plan(
            gpu(partition(60, new Turn("m", 1, 1))),
            gpu(partition(60, new Turn("m", 1, 1))),
            gpu(partition(60, new Turn("m", 1, 1))));

    assertThatThrownBy(() -> ServingSimulation.run(settings, streams, _ -> full))
        .hasMessageContaining("120.0 %");
    assertThatThrownBy(() -> ServingSimulation.run(settings, streams, _ -> many))
        .hasMessageContaining("3 of 2");
  }
}
