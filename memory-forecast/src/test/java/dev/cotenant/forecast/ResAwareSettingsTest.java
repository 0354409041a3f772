package dev.cotenant.forecast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ResAwareSettingsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  @Test
  void startsFromTheDocumentedValues() {
    assertThat(ResAwareSettings.DEFAULT).isEqualTo(new ResAwareSettings(0.2, 0, 1, 60, SECOND));
  }

  @Test
  void refusesWhatTheStagesCannotUse() {
    refuses("variationThreshold", -0.1, 0, 1, 60, SECOND);
    refuses("variationThreshold", Double.NaN, 0, 1, 60, SECOND);
    refuses("autocorrelationThreshold", 0.2, 1.1, 1, 60, SECOND);
    refuses("autocorrelationThreshold", 0.2, Double.NaN, 1, 60, SECOND);
    refuses("autocorrelationOrder", 0.2, 0, 0, 60, SECOND);
    refuses("windowSamples", 0.2, 0, 1, 2, SECOND);
    refuses("windowSamples", 0.2, 0, Integer.MAX_VALUE, Integer.MIN_VALUE, SECOND);
    refuses("horizon", 0.2, 0, 1, 60, Duration.ZERO);
  }

  private static void refuses(
      String name, double variation, double correlation, int order, int samples, Duration horizon) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ResAwareSettings(variation, correlation, order, samples, horizon))
        .withMessageStartingWith(name);
  }
}
