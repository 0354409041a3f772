package dev.cotenant.evaluation.forecast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.forecast.RecordedDevice;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.forecast.trees.PeakModelFile;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ForecastEvaluationTest {
  /** 31 samples a minute apart: 10 GiB, and 11 GiB at every tenth. */
  private static RecordedDevice device() {
    List<MemorySample> samples = new ArrayList<>();
    for (int i = 0; i <= 30; i++) {
      samples.add(
          new MemorySample(
              Instant.EPOCH.plusSeconds(60L * i), MemorySize.ofGiB(i % 10 == 0 ? 11 : 10)));
    }
    return new RecordedDevice("a", "a", new MemorySeries(samples), MemorySize.ofGiB(20));
  }

  private static EvaluationRow figure(List<EvaluationRow> all, String model, String metric) {
    return all.stream()
        .filter(f -> f.model().equals(model) && f.metric().equals(metric))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void holdsForecastsAgainstWhatCame() {
    List<EvaluationRow> figures =
        new ForecastEvaluation("", _ -> {}).test(List.of(device()), PeakModelFile.shipped());
    // 31 samples leave 21 instants with ten to follow. Persistence errs by 1 GiB where the next
    // sample rises or falls: into and out of instants 10 and 20, and out of instant 0: 5 of 21.
    EvaluationRow error = figure(figures, "persistence", "mae_mib");
    assertThat(error.rows()).isEqualTo(21);
    assertThat(error.value()).isCloseTo(1024 * 5 / 21.0, within(1e-9));
    // Every ten samples hold an 11 GiB; persistence says so at instants 0, 10 and 20 only.
    assertThat(figure(figures, "persistence", "coverage").value())
        .isCloseTo(3 / 21.0, within(1e-9));
    assertThat(figure(figures, "max/W=30", "coverage").value()).isEqualTo(1);
    assertThat(figure(figures, "max/W=30", "headroom_mib").value()).isZero();
    assertThat(figure(figures, "max-1.2/W=30", "headroom_mib").value())
        .isCloseTo(0.2 * 11 * 1024, within(1e-6));
    assertThat(figure(figures, "peak-bound", "coverage").value()).isGreaterThan(0.8);
  }

  @Test
  void leavesOutInstantsWhoseHorizonHasAGap() {
    RecordedDevice whole = device();
    List<MemorySample> cut = new ArrayList<>(whole.series().samples());
    cut.remove(15);
    RecordedDevice gap = new RecordedDevice("a", "a", new MemorySeries(cut), MemorySize.ofGiB(20));
    // instants 5 to 14 have the missing minute 15 ahead, instant 15 is gone itself
    assertThat(
            figure(
                    new ForecastEvaluation("", _ -> {}).test(List.of(gap), PeakModelFile.shipped()),
                    "persistence",
                    "mae_mib")
                .rows())
        .isEqualTo(21 - 11);
  }

  @Test
  void scoresAutoregressionAsFittedBesideWhatIsCutToTheCard() {
    // Doubling from 1 MiB: c + φ·y through (1, 2), (2, 4), (4, 8) is 2·y exactly, so the raw next
    // of
    // sample i is 2^(i+1) MiB. At instant 10 that is 2,048 MiB on a card of 1,024, where the series
    // stays: raw errs by 1,024 MiB, and "ar1" is cut to the card and errs by nothing.
    List<MemorySample> samples = new ArrayList<>();
    for (int i = 0; i <= 20; i++) {
      samples.add(
          new MemorySample(
              Instant.EPOCH.plusSeconds(60L * i), MemorySize.ofMiB(1L << Math.min(i, 10))));
    }
    RecordedDevice device =
        new RecordedDevice("a", "a", new MemorySeries(samples), MemorySize.ofMiB(1024));
    List<EvaluationRow> figures =
        new ForecastEvaluation("", _ -> {}).test(List.of(device), PeakModelFile.shipped());
    // eleven instants; 0 has no line and repeats 1 MiB where 2 follow, 1 has one pair and repeats 2
    // where 4 follow, 2 to 9 are exact
    assertThat(figure(figures, "ar1-raw/W=60", "mae_mib").value())
        .isCloseTo((1 + 2 + 1024) / 11.0, within(1e-6));
    assertThat(figure(figures, "ar1/W=60", "mae_mib").value())
        .isCloseTo((1 + 2) / 11.0, within(1e-6));
    assertThat(figure(figures, "ar1-raw/W=60", "coverage").value())
        .isCloseTo(2 / 11.0, within(1e-9));
  }
}
