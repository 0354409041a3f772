package dev.cotenant.forecast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SampledWindowTest {

  @Test
  void cutsWhereAStepExceedsOneAndAHalfMedians() {
    // steps 10 10 15 16 10 10: the median is 10, so 15 is not a gap and 16 is
    SampledWindow window = atSeconds(0, 10, 20, 35, 51, 61, 71);
    assertThat(window.medianStepSeconds()).isEqualTo(10);
    assertThat(window.runs()).containsExactly(new double[] {0, 1, 2, 3}, new double[] {4, 5, 6});
  }

  @Test
  void cutsAtOneMissedScrape() {
    assertThat(atSeconds(0, 30, 90, 120).runs())
        .containsExactly(new double[] {0, 1}, new double[] {2, 3});
  }

  @Test
  void keepsAnEvenSeriesWhole() {
    assertThat(atSeconds(0, 1, 2, 3).runs()).containsExactly(new double[] {0, 1, 2, 3});
    assertThat(atSeconds(0, 86_400).runs()).containsExactly(new double[] {0, 1});
    assertThat(atSeconds(0).runs()).containsExactly(new double[] {0});
  }

  @Test
  void survivesStepsOfMillennia() {
    SampledWindow window =
        atSeconds(0, Instant.MAX.getEpochSecond() / 2, Instant.MAX.getEpochSecond());
    assertThat(window.runs()).hasSize(1);
  }

  private static SampledWindow atSeconds(long... seconds) {
    List<MemorySample> samples = new ArrayList<>();
    for (long at : seconds) {
      samples.add(new MemorySample(Instant.ofEpochSecond(at), MemorySize.ofBytes(samples.size())));
    }
    return new SampledWindow(new MemorySeries(samples));
  }
}
