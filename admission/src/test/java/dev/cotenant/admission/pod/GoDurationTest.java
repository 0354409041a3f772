package dev.cotenant.admission.pod;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GoDurationTest {
  private static final Duration DAY = Duration.ofHours(24);

  @ParameterizedTest
  @CsvSource({
    "40ms, PT0.04S",
    "1.5s, PT1.5S",
    "1m30s, PT1M30S",
    "250us, PT0.00025S",
    "24h, PT24H",
    "0s, PT0S"
  })
  void readsWhatGoReads(String text, Duration value) {
    assertThat(GoDuration.parse(text, DAY)).contains(value);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "soon", "40", "-40ms", "40 ms", "ms", "1d", "PT1S", "25h", "9e9s", "1.2.3s"})
  void refusesEverythingElse(String text) {
    assertThat(GoDuration.parse(text, DAY)).isEmpty();
  }
}
