package dev.cotenant.service.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.guard.Sample;
import dev.cotenant.admission.guard.Signal;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.policy.QueryTemplate;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.engine.risk.MeasuredSpeed;
import dev.cotenant.engine.risk.SpeedSource;
import dev.cotenant.engine.risk.SpeedStore;
import dev.cotenant.forecast.prometheus.MetricsUnreachableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Speeds that the metrics server has become rows, and beside others samples of the guard. */
class SpeedWatchTest extends SpeedWatchBench {
  @Test
  void reportsTwiceAloneThenComparesWithNeighbours() {
    pod("one", Map.of(CotenantAnnotations.SPEED_METRIC, "rate(steps_total)"));
    minutes(20);
    assertThat(stored).hasSize(2).allMatch(MeasuredSpeed::isAlone);
    assertThat(asked)
        .hasSize(2)
        .allSatisfy(promQl ->
            assertThat(promQl).contains("steps_total{namespace=\"team-a\", pod=\"one\"}["));
    assertThat(asked.getFirst()).as("after its start-up").contains("[180s]");
    assertThat(asked.getLast()).contains("[300s]");
    assertThat(samples).as("nobody is beside it").isEmpty();

    pod("two", Map.of());
    value = 50;
    minutes(12);

    assertThat(stored).hasSize(4);
    assertThat(stored.getLast().neighbours()).hasSize(1);
    assertThat(samples)
        .hasSizeBetween(10, 12)
        .allSatisfy(sample -> {
          assertThat(sample.uid()).isEqualTo("uid-one");
          assertThat(sample.signal()).isEqualTo(Signal.SLOWDOWN);
          assertThat(sample.value()).isEqualTo(2.0);
          assertThat(sample.limit()).isEqualTo(1.15);
          assertThat(sample.deadBand())
              .as("both speeds alone are of one run")
              .isBetween(0.06, 0.07);
        });
  }

  @Test
  void aSpeedThatWasNeverMeasuredAloneSaysNothing() {
    pod("one", Map.of(CotenantAnnotations.SPEED_METRIC, "steps"));
    pod("two", Map.of());
    minutes(12);

    assertThat(samples).isEmpty();
    assertThat(stored).hasSize(2).noneMatch(MeasuredSpeed::isAlone);
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY})
  void missingNumbersAreNoSpeeds(double absurd) {
    pod("one", Map.of(CotenantAnnotations.SPEED_METRIC, "steps"));
    value = absurd;
    minutes(8);

    assertThat(stored).isEmpty();
    assertThat(read("missing")).isPositive();
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, 1e13})
  void absurdNumbersAreRejected(double absurd) {
    pod("one", Map.of(CotenantAnnotations.SPEED_METRIC, "steps"));
    value = absurd;
    minutes(8);

    assertThat(stored).isEmpty();
    assertThat(read("rejected")).isPositive();
  }

  @Test
  void latenciesGoToTheGuardAlone() {
    pod("one", Map.of(CotenantAnnotations.LATENCY_METRIC, "p99(request_seconds)"));
    pod("two", Map.of());
    value = 0.08;
    minutes(3);

    assertThat(stored).isEmpty();
    assertThat(samples)
        .isNotEmpty()
        .allSatisfy(sample -> {
          assertThat(sample.signal()).isEqualTo(Signal.LATENCY);
          assertThat(sample.value()).isEqualTo(0.08);
          assertThat(sample.limit()).isEqualTo(0.05);
        });
  }

  @Test
  void ratesBeyondTheStatedOnesGoToTheGuardAlone() {
    RunSettings stated =
        RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32).withLoad(new Load.RequestRate(20));
    pod("one", 16, Map.of(CotenantAnnotations.RATE_METRIC, "vllm"), null, stated);
    pod("two", Map.of(CotenantAnnotations.RATE_METRIC, "rate(requests_total)"));
    value = 40;
    minutes(3);

    assertThat(stored).isEmpty();
    assertThat(samples)
        .isNotEmpty()
        .allSatisfy(sample -> {
          assertThat(sample.uid()).as("the other states no rate").isEqualTo("uid-one");
          assertThat(sample.signal()).isEqualTo(Signal.RATE);
          assertThat(sample.value()).isEqualTo(40);
          assertThat(sample.limit()).isEqualTo(20);
        });
  }

  @Test
  void ratesBeyondTheMeasuredOneOfAGrantGoToTheGuard() {
    RunSettings unstated = RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32);
    Map<String, String> counted =
        Map.of(CotenantAnnotations.RATE_METRIC, "vllm", CotenantAnnotations.MEASURED_RATE, "12.5");
    pod("one", 16, counted, null, unstated);
    pod(
        "two",
        16,
        Map.of(CotenantAnnotations.RATE_METRIC, "vllm", CotenantAnnotations.MEASURED_RATE, "NaN"),
        null,
        unstated);
    value = 40;
    minutes(3);

    assertThat(samples)
        .filteredOn(sample -> sample.signal() == Signal.RATE)
        .isNotEmpty()
        .allSatisfy(sample -> {
          assertThat(sample.uid()).isEqualTo("uid-one");
          assertThat(sample.limit()).isEqualTo(12.5);
        });
  }

  @Test
  void anInvalidAnnotationReadsNothing() {
    pod("one", Map.of(CotenantAnnotations.SPEED_METRIC, "sum(up)"));
    pod("two", Map.of());
    minutes(8);

    assertThat(asked).isEmpty();
    assertThat(stored).isEmpty();
  }

  @Test
  void aPolicysQueryIsForPodsThatNameNoMetric() {
    pod("one", Map.of());
    pod("two", Map.of(CotenantAnnotations.SPEED_METRIC, "own"));
    pod("three", Map.of(CotenantAnnotations.SPEED_METRIC, "sum(up)"));
    SpeedWatch ofPolicy =
        new SpeedWatch(
            this::read,
            new SpeedQueries(namespace ->
                Optional.of(
                    new QueryTemplate("rate(x{namespace=\"$namespace\",pod=\"$pod\"}[$window])")
                        ::promQl)),
            this::view,
            reports,
            new GuardSamples(this::view, memory, samples::addAll),
            own,
            () -> now);
    ofPolicy.observe();
    now = now.plus(SpeedWatch.GUARD_EVERY);
    ofPolicy.observe();

    assertThat(asked)
        .hasSize(2)
        .contains("rate(x{namespace=\"team-a\",pod=\"one\"}[120s])")
        .anyMatch(promQl -> promQl.contains("own{namespace=\"team-a\", pod=\"two\"}"));
  }

  @Test
  void aSlowServerStopsARound() {
    for (int i = 0; i < 30; i++) {
      pod("pod-" + i, Map.of(CotenantAnnotations.LATENCY_METRIC, "seconds"));
    }
    SpeedWatch slow =
        new SpeedWatch(
            (_, _) -> {
              now = now.plusSeconds(10);
              asked.add("slow");
              return OptionalDouble.empty();
            },
            new SpeedQueries(),
            this::view,
            reports,
            new GuardSamples(this::view, memory, samples::addAll),
            meters,
            () -> now);
    slow.observe();
    now = now.plus(SpeedWatch.GUARD_EVERY);
    slow.observe();

    assertThat(asked).hasSize(2);
  }

  @Test
  void aServerWithoutAnAnswerEndsTheRoundAndWhatWasReadCounts() {
    for (int i = 0; i < 5; i++) {
      pod("pod-" + i, Map.of(CotenantAnnotations.LATENCY_METRIC, "seconds"));
    }
    SpeedWatch down =
        watching(
            (promQl, _) -> {
              asked.add(promQl);
              if (asked.size() > 1) {
                throw new MetricsUnreachableException("refused");
              }
              return OptionalDouble.of(0.08);
            },
            reports);
    down.observe();
    now = now.plus(SpeedWatch.GUARD_EVERY);

    assertThatThrownBy(down::observe).isInstanceOf(MetricsUnreachableException.class);
    assertThat(asked).hasSize(2);
    assertThat(samples).hasSize(1);
    now = now.plus(SpeedWatch.GUARD_EVERY.multipliedBy(3));
    assertThatThrownBy(down::observe).isInstanceOf(MetricsUnreachableException.class);
    assertThat(own.get("cotenant.speeds.overdue").gauge().value()).isGreaterThan(3);
  }

  @Test
  void aStoreThatIsDownStopsNoSample() {
    pod("one", Map.of(CotenantAnnotations.SPEED_METRIC, "rate(steps_total)"));
    minutes(20);
    assertThat(stored).hasSize(2);
    pod("two", Map.of());
    SpeedStore down =
        new SpeedStore() {
          @Override
          public void add(List<MeasuredSpeed> rows) {
            throw new StoreException("down", new IllegalStateException());
          }

          @Override
          public Map<String, Long> newest() {
            return Map.of();
          }

          @Override
          public List<MeasuredSpeed> of(String namespace) {
            return List.of();
          }
        };
    SpeedReports failing = new SpeedReports(() -> view().cluster(), down, () -> now, _ -> {});
    SpeedWatch watching = watching((_, _) -> OptionalDouble.of(0), failing);
    failing.observe();
    watching.observe();
    now = now.plus(SpeedReports.WINDOW).plus(SpeedWatch.GUARD_EVERY);
    value = 50;
    SpeedWatch slow = watching(this::read, failing);
    slow.observe();
    now = now.plus(SpeedReports.WINDOW).plusSeconds(1);
    failing.observe();

    assertThatThrownBy(slow::observe).isInstanceOf(StoreException.class);
    assertThat(samples).hasSize(1);
    watching.observe();
    assertThat(samples.getLast().value()).as("makes no step").isEqualTo(1_000);
  }

  @Test
  void reportedSpeedsReachTheGuardInOneCall() {
    pod("one", Map.of(CotenantAnnotations.SPEED_METRIC, "rate(steps_total)"));
    minutes(20);
    MeasuredSpeed alone = stored.getFirst();
    pod("two", Map.of());
    List<List<Sample>> calls = new ArrayList<>();
    MeasuredSpeed beside =
        new MeasuredSpeed(
            "team-a",
            "one",
            alone.device(),
            alone.job(),
            List.of(alone.job()),
            50,
            now,
            SpeedSource.PROGRESS,
            "");
    new GuardSamples(this::view, memory, calls::add).reported(List.of(beside, beside));

    assertThat(calls).hasSize(1);
    assertThat(calls.getFirst())
        .hasSize(2)
        .allSatisfy(sample -> assertThat(sample.value()).isEqualTo(2.0));
  }
}
