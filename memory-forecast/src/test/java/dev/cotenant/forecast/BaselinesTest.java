package dev.cotenant.forecast;

import static dev.cotenant.forecast.Requests.CARD;
import static dev.cotenant.forecast.Requests.about;
import static dev.cotenant.forecast.Requests.aboutGiB;
import static dev.cotenant.forecast.Requests.applies;
import static dev.cotenant.forecast.Requests.passReason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.forecast.trees.PeakModelFile;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BaselinesTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private final MemoryForecaster persistence = WindowEstimate.persistence(MINUTE);

  @Test
  void persistenceRepeatsTheNewestSample() {
    MemoryForecast forecast = persistence.forecast(aboutGiB(9, 7, 8));
    assertThat(applies(forecast).peak()).isEqualTo(MemorySize.ofGiB(8));
    assertThat(forecast.samples()).isEqualTo(1);
    assertThat(forecast.horizon()).isEqualTo(MINUTE);
  }

  @Test
  void windowMaximumTakesTheLargestOfItsWindow() {
    ForecastRequest request = aboutGiB(20, 7, 10, 8);
    assertThat(applies(WindowEstimate.maximum(1, 3, MINUTE).forecast(request)).peak())
        .isEqualTo(MemorySize.ofGiB(10));
    // 10 GiB * 1.1 = 11811160064 B
    assertThat(applies(WindowEstimate.maximum(1.1, 3, MINUTE).forecast(request)).peak().bytes())
        .isEqualTo(11_811_160_064L);
    assertThat(applies(WindowEstimate.maximum(2, 4, MINUTE).forecast(request)).peak())
        .isEqualTo(CARD);
  }

  @Test
  void holdSamplesAboveCapacityToCapacity() {
    assertThat(applies(persistence.forecast(aboutGiB(40))).peak()).isEqualTo(CARD);
    MemorySize most = MemorySize.ofBytes(Long.MAX_VALUE);
    ForecastRequest request = about(Requests.everySecond(most, most));
    assertThat(applies(WindowEstimate.maximum(1.1, 3, MINUTE).forecast(request)).peak())
        .isEqualTo(CARD);
  }

  @Test
  void passOnWithoutSamples() {
    assertThat(passReason(persistence.forecast(aboutGiB()))).isEqualTo("no samples");
    assertThat(passReason(WindowEstimate.maximum(1, 3, MINUTE).forecast(aboutGiB())))
        .isEqualTo("no samples");
  }

  @Test
  void windowMaximumRefusesFactorsBelowOneAndEmptyWindows() {
    assertThatIllegalArgumentException().isThrownBy(() -> WindowEstimate.maximum(0.9, 3, MINUTE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WindowEstimate.maximum(Double.NaN, 3, MINUTE));
    assertThatIllegalArgumentException().isThrownBy(() -> WindowEstimate.maximum(1, 0, MINUTE));
  }

  @Test
  void catalogueNamesEachOnce() {
    assertThat(
            ForecasterCatalogue.all(
                new PeakBound(PeakModelFile.shipped(), MINUTE), ResAwareSettings.DEFAULT))
        .extracting(MemoryForecaster::name)
        .containsExactly(
            "peak-bound",
            "agnostic",
            "cbp",
            "pp",
            "persistence",
            "mean",
            "p80",
            "ar1",
            "ar1-clamped",
            "holt",
            "max",
            "max-1.1");
  }
}
