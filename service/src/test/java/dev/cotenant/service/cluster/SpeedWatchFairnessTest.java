package dev.cotenant.service.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.forecast.prometheus.MetricsTimedOutException;
import dev.cotenant.forecast.prometheus.MetricsUnreachableException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No pod's metric stops the readings of others, and no start-up counts as a speed. */
class SpeedWatchFairnessTest extends SpeedWatchBench {
  private static final Pattern RANGE = Pattern.compile("\\[(\\d+)s]");

  static List<Supplier<RuntimeException>> faults() {
    return List.of(
        () -> new MetricsTimedOutException("too slow"),
        () -> new MetricsUnreachableException("reset"),
        () -> new IllegalStateException("a defect"));
  }

  private static String query(String pod) {
    return "pod=\"" + pod + "\"";
  }

  @ParameterizedTest
  @MethodSource("faults")
  void aPodWhoseQueryFailsStopsNoOther(Supplier<RuntimeException> fault) {
    for (String pod : List.of("a-bad", "b", "c")) {
      pod(pod, Map.of(CotenantAnnotations.LATENCY_METRIC, "seconds"));
    }
    SpeedWatch watching =
        watching(
            (promQl, _) -> {
              asked.add(promQl);
              if (promQl.contains(query("a-bad"))) {
                throw fault.get();
              }
              return OptionalDouble.of(0.08);
            },
            reports);
    for (int i = 0; i < 60; i++) {
      observe(watching);
    }

    for (String pod : List.of("b", "c")) {
      assertThat(samples).filteredOn(one -> one.uid().equals("uid-" + pod)).hasSizeBetween(8, 9);
    }
    assertThat(asked).filteredOn(one -> one.contains(query("a-bad"))).hasSizeBetween(8, 9);
    boolean isDefect = fault.get() instanceof IllegalStateException;
    assertThat(own.counter("cotenant.speeds.read", "outcome", "failed").count() > 0)
        .isEqualTo(isDefect);
  }

  private void observe(SpeedWatch watching) {
    try {
      watching.observe();
    } catch (MetricsUnreachableException _) {
      // the round is over
    }
    now = now.plusSeconds(10);
  }

  @Test
  void twoQueriesWithoutAnAnswerInTimeEndTheRound() {
    for (int i = 0; i < 5; i++) {
      pod("pod-" + i, Map.of(CotenantAnnotations.LATENCY_METRIC, "seconds"));
    }
    SpeedWatch slow =
        watching(
            (promQl, _) -> {
              asked.add(promQl);
              throw new MetricsTimedOutException("no whole answer within 10000 ms");
            },
            reports);
    slow.observe();
    now = now.plus(SpeedWatch.GUARD_EVERY);

    assertThatThrownBy(slow::observe)
        .isInstanceOf(MetricsUnreachableException.class)
        .hasMessageContaining("10000 ms");
    assertThat(asked).hasSize(2);
    assertThatThrownBy(slow::observe).isInstanceOf(MetricsUnreachableException.class);
    assertThat(asked).as("others come next").hasSize(4).doesNotHaveDuplicates();
  }

  /** A counter that stands while the pod loads, and grows by 100 a second from then on. */
  @Test
  void theSpeedAloneIsThatAfterTheStart() {
    Duration loading = Duration.ofSeconds(75);
    pod("one", Map.of(CotenantAnnotations.SPEED_METRIC, "rate(steps_total)"));
    SpeedWatch watching =
        watching(
            (promQl, at) -> {
              Matcher range = RANGE.matcher(promQl);
              assertThat(range.find()).isTrue();
              double window = Double.parseDouble(range.group(1));
              double running = Duration.between(START.plus(loading), at).toSeconds();
              return OptionalDouble.of(100 * Math.clamp(running / window, 0, 1));
            },
            reports);
    for (int i = 0; i < 80; i++) {
      reports.observe();
      watching.observe();
      now = now.plusSeconds(10);
    }

    assertThat(stored).hasSize(2).allSatisfy(row -> assertThat(row.speed()).isEqualTo(100));
  }

  @Test
  void aNeighbourThatStartsIsWaitedFor() {
    pod("one", Map.of(CotenantAnnotations.SPEED_METRIC, "rate(steps_total)"));
    minutes(20);
    assertThat(asked).hasSize(2);
    pod("two", Map.of());
    for (int i = 0; i < 40; i++) {
      reports.observe();
      watch.observe();
      now = now.plusSeconds(10);
    }

    assertThat(stored).hasSize(3);
    assertThat(stored.getLast().neighbours()).hasSize(1);
    assertThat(asked).filteredOn(promQl -> promQl.contains("[180s]")).hasSize(2);
  }
}
