package dev.cotenant.evaluation.forecast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.forecast.RecordedDevice;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two days of eight pods, a sample each five minutes. */
class SizingEvaluationTest {
  private static final Instant START = Instant.parse("2026-11-20T00:00:00Z");
  private static final Duration STEP = Duration.ofMinutes(5);
  private static final int SAMPLES = 576;

  /** Use in GiB of a pod at a sample. */
  private interface Use {
    double gib(int pod, int sample);
  }

  private static List<RecordedDevice> pods(Use use) {
    List<RecordedDevice> pods = new ArrayList<>();
    for (int pod = 0; pod < 8; pod++) {
      List<MemorySample> samples = new ArrayList<>();
      for (int i = 0; i < SAMPLES; i++) {
        samples.add(
            new MemorySample(
                START.plus(STEP.multipliedBy(i)),
                MemorySize.ofBytes((long) (use.gib(pod, i) * (1L << 30)))));
      }
      pods.add(
          new RecordedDevice(
              "pod-" + pod, "pod-" + pod, new MemorySeries(samples), MemorySize.ofGiB(80)));
    }
    return pods;
  }

  private static double figure(List<EvaluationRow> rows, String model, String metric) {
    return rows.stream()
        .filter(row -> row.model().equals(model) && row.metric().equals(metric))
        .mapToDouble(EvaluationRow::value)
        .findFirst()
        .orElseThrow();
  }

  private static List<EvaluationRow> evaluate(Use use) {
    return new SizingEvaluation(Duration.ofHours(4), "walk-forward", _ -> {})
        .crossValidate(pods(use), 1);
  }

  @Test
  void steadyPodsNeedNothingBeyondTheirPeak() {
    List<EvaluationRow> rows = evaluate((pod, _) -> 10 + pod);

    for (String model : List.of("window-maximum/95", "window-maximum/95 in time")) {
      assertThat(figure(rows, model, "coverage")).isEqualTo(1);
      assertThat(figure(rows, model, "median_excess")).isCloseTo(0, within(1e-6));
    }
  }

  /**
   * All pods grow in the last quarter: who knows their later windows expects it, who does not, not.
   */
  @Test
  void inTimeNothingIsKnownOfWhatComesLater() {
    List<EvaluationRow> rows =
        evaluate((_, i) -> i < SAMPLES * 3 / 4 ? 10 : 10 + 0.1 * (i - SAMPLES * 3 / 4));

    assertThat(figure(rows, "window-maximum/95", "coverage"))
        .isGreaterThan(figure(rows, "window-maximum/95 in time", "coverage") + 0.2);
  }

  @Test
  void needsTwoWindows() {
    SizingEvaluation evaluation = new SizingEvaluation(Duration.ofDays(2), "walk-forward", _ -> {});

    assertThatThrownBy(() -> evaluation.crossValidate(pods((_, _) -> 1), 1))
        .hasMessageContaining("no pod has samples of two windows");
  }
}
