package dev.cotenant.domain.forecast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.cotenant.domain.quantity.MemorySize;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemorySeriesTest {
  private static MemorySample sample(long second, long mebibytes) {
    return new MemorySample(Instant.ofEpochSecond(second), MemorySize.ofMiB(mebibytes));
  }

  @Test
  void refusesTimeThatDoesNotAdvance() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new MemorySeries(List.of(sample(2, 1), sample(2, 1))))
        .withMessageContaining("sample 1");
  }

  @Test
  void givesTheNewestSamples() {
    MemorySeries series = new MemorySeries(List.of(sample(1, 10), sample(2, 20), sample(3, 30)));

    assertThat(series.newest(2).samples()).containsExactly(sample(2, 20), sample(3, 30));
    assertThat(series.newest(0).isEmpty()).isTrue();
    assertThat(series.newest(9)).isEqualTo(series);
    assertThat(series.last()).contains(sample(3, 30));
  }

  @Test
  void hasNoLastSampleWhenEmpty() {
    assertThat(MemorySeries.EMPTY.last()).isEmpty();
  }
}
