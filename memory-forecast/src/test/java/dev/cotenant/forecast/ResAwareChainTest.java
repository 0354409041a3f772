package dev.cotenant.forecast;

import static dev.cotenant.forecast.Requests.CARD;
import static dev.cotenant.forecast.Requests.about;
import static dev.cotenant.forecast.Requests.everySecondGiB;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.forecast.trees.PeakModelFile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ResAwareChainTest {
  private final ResAwareChain chain = new ResAwareChain(ResAwareSettings.DEFAULT);

  @Test
  void hasTheStagesAgnosticCbpAndPp() {
    assertThat(chain.stages().stream().map(MemoryForecaster::name))
        .containsExactly("agnostic", "cbp", "pp");
  }

  @Test
  void letsInByGrantsAloneWhereTheyLeaveRoom() {
    // 32 - 14 = 18 > 14
    assertThat(stage(about(MemorySeries.EMPTY, gib(14)), gib(14))).contains("agnostic");
  }

  @Test
  void letsInAnOverProvisionedEngineByWhatIsUsed() {
    // The paper's case: engines of 7 GB that ask for 14. Two are granted, 32 - 28 = 4 < 14, but
    // used memory is flat at 14, and 32 - 14 = 18 >= 14.
    assertThat(stage(about(everySecondGiB(14, 14, 14, 14), gib(14), gib(14)), gib(14)))
        .contains("cbp");
  }

  @Test
  void letsInByForecastWhereUseIsFalling() {
    // 24 20 16 12: sigma = sqrt(80 / 4) = 4.472, CV = 4.472 / 18 = .2485, not below .2;
    // PP forecasts 8 (see StagesTest), 32 - 8 = 24
    ForecastRequest request = about(everySecondGiB(24, 20, 16, 12), gib(28));
    assertThat(stage(request, gib(24))).contains("pp");
    assertThat(stage(request, MemorySize.ofBytes(gib(24).bytes() + 1))).isEmpty();
  }

  @Test
  void goesOnToPpWhenCbpFindsTooLittleFree() {
    // 12 11 10 9: mean 10.5, CV = sqrt(5 / 4) / 10.5 = .1065; P80 rank 2.4: 11 + .4 = 11.4, free
    // 20.6; AR(1) slope 1, c = -1, next 8, free 24
    ForecastRequest request = about(everySecondGiB(12, 11, 10, 9), gib(28));
    assertThat(stage(request, gib(20))).contains("cbp");
    assertThat(stage(request, gib(22))).contains("pp");
  }

  @Test
  void isStrictForAgnosticAndInclusiveAfterIt() {
    ForecastRequest flat = about(everySecondGiB(14, 14, 14), gib(14));
    // agnostic: 18 < 32 - 14 is false; CBP: 18 <= 32 - 14 is true
    assertThat(stage(flat, gib(18))).contains("cbp");
    assertThat(stage(flat, MemorySize.ofBytes(gib(18).bytes() + 1))).isEmpty();
  }

  @Test
  void refusesAWholeDeviceWithoutMetricsForAgnosticIsStrict() {
    assertThat(stage(about(MemorySeries.EMPTY), CARD)).isEmpty();
  }

  @Test
  void admitsNothingLargerThanTheDeviceThoughTheForecastIsBelowZero() {
    ForecastRequest falling = about(everySecondGiB(24, 16, 8, 0), gib(32));
    assertThat(stage(falling, gib(33))).isEmpty();
    assertThat(stage(falling, gib(32))).isPresent();
  }

  @Test
  void keepsItsPromisesOnAnySeries() {
    Random random = new Random(9);
    List<MemoryForecaster> forecasters =
        ForecasterCatalogue.all(
            new PeakBound(PeakModelFile.shipped(), Duration.ofMinutes(2)),
            ResAwareSettings.DEFAULT);
    for (int round = 0; round < 5_000; round++) {
      ForecastRequest request = Requests.random(random);
      forecasters.forEach(forecaster -> verify(forecaster, request));
      verify(request, MemorySize.ofBytes(random.nextLong(CARD.bytes() * 2)));
    }
  }

  private static void verify(MemoryForecaster forecaster, ForecastRequest request) {
    MemoryForecast forecast = forecaster.forecast(request);
    assertThat(forecast).isEqualTo(forecaster.forecast(request));
    assertThat(forecast.estimator()).isEqualTo(forecaster.name());
    assertThat(forecast.result().reason()).isNotBlank().doesNotContain("\n", "NaN", "Infinity");
    assertThat(forecast.age() == null).isEqualTo(forecast.samples() == 0);
    assertThat(forecast.age() == null || !forecast.age().isNegative()).isTrue();
    if (forecast.result() instanceof MemoryForecast.Applies applies) {
      assertThat(applies.next()).isLessThanOrEqualTo(applies.peak());
      assertThat(applies.peak()).isLessThanOrEqualTo(applies.peakUpper());
      assertThat(applies.peakUpper()).isLessThanOrEqualTo(request.capacity());
    }
  }

  private void verify(ForecastRequest request, MemorySize requested) {
    Optional<String> expected =
        chain.stages().stream()
            .map(stage -> stage.forecast(request))
            .filter(forecast -> wouldFit(forecast, request, requested))
            .map(MemoryForecast::estimator)
            .findFirst();
    assertThat(stage(request, requested)).isEqualTo(expected);

    List<MemorySize> shuffled = new ArrayList<>(Objects.requireNonNull(request.granted()));
    Collections.reverse(shuffled);
    assertThat(
            stage(
                new ForecastRequest(request.series(), request.capacity(), shuffled, request.now()),
                requested))
        .isEqualTo(expected);
  }

  private Optional<String> stage(ForecastRequest request, MemorySize requested) {
    return chain.admittingStage(request, requested);
  }

  private static boolean wouldFit(
      MemoryForecast forecast, ForecastRequest request, MemorySize requested) {
    if (!(forecast.result() instanceof MemoryForecast.Applies applies)) {
      return false;
    }
    long free = request.capacity().bytes() - applies.peak().bytes();
    return forecast.estimator().equals("agnostic")
        ? requested.bytes() < free
        : requested.bytes() <= free;
  }

  private static MemorySize gib(long gibibytes) {
    return MemorySize.ofGiB(gibibytes);
  }
}
