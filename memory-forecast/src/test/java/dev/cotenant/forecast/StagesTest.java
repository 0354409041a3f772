package dev.cotenant.forecast;

import static dev.cotenant.forecast.Requests.CARD;
import static dev.cotenant.forecast.Requests.START;
import static dev.cotenant.forecast.Requests.about;
import static dev.cotenant.forecast.Requests.aboutGiB;
import static dev.cotenant.forecast.Requests.applies;
import static dev.cotenant.forecast.Requests.everySecondGiB;
import static dev.cotenant.forecast.Requests.passReason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StagesTest {
  private static final ResAwareSettings SETTINGS = ResAwareSettings.DEFAULT;
  private final ResourceAgnostic agnostic = new ResourceAgnostic(SETTINGS);
  private final CorrelationBasedPrediction cbp = new CorrelationBasedPrediction(SETTINGS);
  private final PeakPrediction pp = new PeakPrediction(SETTINGS);

  @Test
  void agnosticCountsGrantsAndNoSample() {
    MemoryForecast forecast =
        agnostic.forecast(about(everySecondGiB(1, 1), MemorySize.ofGiB(7), MemorySize.ofGiB(14)));
    assertThat(applies(forecast).peak()).isEqualTo(MemorySize.ofGiB(21));
    assertThat(applies(forecast).reason()).isEqualTo("2 grants of 21 GiB");
    assertThat(forecast.samples()).isZero();
    assertThat(forecast.age()).isNull();
  }

  @Test
  void agnosticHoldsGrantsBeyondCapacityToCapacity() {
    MemorySize most = MemorySize.ofBytes(Long.MAX_VALUE);
    MemoryForecast.Applies answer =
        applies(agnostic.forecast(about(MemorySeries.EMPTY, most, most)));
    assertThat(answer.peak()).isEqualTo(CARD);
    assertThat(answer.reason())
        .contains("9223372036854775807 B is above capacity and counts as 32 GiB");
  }

  @Test
  void cbpTakesTheEightiethPercentile() {
    // 10 11 10 12 11: mean 10.8, squares .64+.04+.64+1.44+.04 = 2.8, sigma = sqrt(.56) = .7483,
    // CV = .7483 / 10.8 = .0693; rank 0.8 * 4 = 3.2: sorted 10 10 11 11 12, 11 + 0.2 * 1 = 11.2
    MemoryForecast forecast = cbp.forecast(aboutGiB(10, 11, 10, 12, 11));
    MemoryForecast.Applies answer = applies(forecast);
    assertThat(answer.peak().bytes()).isEqualTo(Math.round(11.2 * (1L << 30)));
    assertThat(answer.next()).isEqualTo(answer.peak());
    assertThat(answer.peakUpper()).isEqualTo(answer.peak());
    assertThat(answer.coverage()).isNull();
    assertThat(answer.reason())
        .isEqualTo("80th percentile: coefficient of variation 0.0693 is below 0.2000");
    assertThat(forecast.samples()).isEqualTo(5);
    assertThat(forecast.age()).isEqualTo(Duration.ofSeconds(1));
    assertThat(forecast.horizon()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void cbpNeedsAVariationStrictlyBelowTheThreshold() {
    // 4 12: mean 8, sigma 4, CV exactly 0.5
    assertThat(passReason(variationBelow(0.5).forecast(aboutGiB(4, 12))))
        .isEqualTo("coefficient of variation 0.5000 is not below 0.5000");
    // rank 0.8: 4 + 0.8 * 8 = 10.4
    assertThat(applies(variationBelow(0.51).forecast(aboutGiB(4, 12))).peak().bytes())
        .isEqualTo(Math.round(10.4 * (1L << 30)));
  }

  @Test
  void cbpSaysWhyItHasNothingToGoBy() {
    assertThat(passReason(cbp.forecast(aboutGiB()))).isEqualTo("needs at least 2 samples, has 0");
    assertThat(passReason(cbp.forecast(aboutGiB(7)))).isEqualTo("needs at least 2 samples, has 1");
    assertThat(passReason(cbp.forecast(aboutGiB(0, 0, 0))))
        .isEqualTo("all 3 samples are 0: the coefficient of variation is undefined");
    assertThat(passReason(variationBelow(0).forecast(aboutGiB(7, 7))))
        .isEqualTo("coefficient of variation 0.0000 is not below 0.0000");
  }

  @Test
  void cbpAnswersAConstantSeries() {
    assertThat(applies(cbp.forecast(aboutGiB(7, 7, 7))).peak()).isEqualTo(MemorySize.ofGiB(7));
  }

  @Test
  void cbpLooksAtTheNewestWindowOnly() {
    ResAwareSettings three = new ResAwareSettings(0.2, 0, 1, 3, Duration.ofMinutes(5));
    MemoryForecast forecast =
        new CorrelationBasedPrediction(three).forecast(aboutGiB(30, 1, 7, 7, 7));
    assertThat(applies(forecast).peak()).isEqualTo(MemorySize.ofGiB(7));
    assertThat(forecast.samples()).isEqualTo(3);
    assertThat(forecast.horizon()).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void ppContinuesARampByOneStep() {
    // 24 20 16 12: mean 18, deviations 6 2 -2 -6, r1 = (12 - 4 + 12) / 80 = 0.25
    // pairs (24,20) (20,16) (16,12): slope 1, c = 16 - 20 = -4 GiB = -4294967296 B, next 8
    MemoryForecast.Applies answer = applies(pp.forecast(aboutGiB(24, 20, 16, 12)));
    assertThat(answer.next()).isEqualTo(MemorySize.ofGiB(8));
    assertThat(answer.peak()).isEqualTo(answer.next());
    assertThat(answer.peakUpper()).isEqualTo(answer.next());
    assertThat(answer.coverage()).isNull();
    assertThat(answer.reason())
        .isEqualTo(
            "AR(1) one step of 1.00 s ahead, c = -4294967296 B, slope 1.0000:"
                + " autocorrelation of order 1 0.2500 is above 0.0000");
  }

  @Test
  void ppNeedsAnAutocorrelationStrictlyAboveTheThreshold() {
    assertThat(passReason(correlationAbove(0.25).forecast(aboutGiB(24, 20, 16, 12))))
        .isEqualTo("autocorrelation of order 1 0.2500 is not above 0.2500");
    assertThat(applies(correlationAbove(0.24).forecast(aboutGiB(24, 20, 16, 12))).next())
        .isEqualTo(MemorySize.ofGiB(8));
    // 4 12 4 12: deviations -4 4 -4 4, r1 = -48 / 64
    assertThat(passReason(pp.forecast(aboutGiB(4, 12, 4, 12))))
        .isEqualTo("autocorrelation of order 1 -0.7500 is not above 0.0000");
  }

  @Test
  void ppUsesTheOrderItIsGiven() {
    // 4 12 4 12 of order 2: (16 + 16) / 64 = 0.5; AR(1) on (4,12) (12,4) (4,12): slope -1, next 4
    ResAwareSettings second = new ResAwareSettings(0.2, 0, 2, 60, Duration.ofSeconds(1));
    MemoryForecast.Applies answer =
        applies(new PeakPrediction(second).forecast(aboutGiB(4, 12, 4, 12)));
    assertThat(answer.next()).isEqualTo(MemorySize.ofGiB(4));
    assertThat(answer.reason()).contains("autocorrelation of order 2 0.5000");
  }

  @Test
  void ppBringsARunawayForecastBackToTheDevice() {
    MemoryForecast.Applies above = applies(pp.forecast(aboutGiB(8, 16, 24, 32)));
    assertThat(above.next()).isEqualTo(CARD);
    assertThat(above.reason())
        .endsWith("; the raw 42949672960 B is above capacity and counts as 32 GiB");
    MemoryForecast.Applies below = applies(pp.forecast(aboutGiB(24, 16, 8, 0)));
    assertThat(below.next()).isEqualTo(MemorySize.ZERO);
    assertThat(below.reason()).endsWith("; the raw -8589934592 B is below 0 and counts as 0 B");
  }

  @Test
  void ppSaysWhyItHasNothingToGoBy() {
    assertThat(passReason(pp.forecast(aboutGiB())))
        .isEqualTo("needs at least 3 samples for order 1, has 0");
    assertThat(passReason(pp.forecast(aboutGiB(7, 8))))
        .isEqualTo("needs at least 3 samples for order 1, has 2");
    assertThat(passReason(pp.forecast(aboutGiB(7, 7, 7))))
        .isEqualTo("all 3 samples are equal: the autocorrelation is undefined");
    assertThat(passReason(pp.forecast(aboutGiB(0, 0, 0))))
        .isEqualTo("all 3 samples are equal: the autocorrelation is undefined");
    // 5 5 5 9: r1 = (1 + 1 - 3) / 12 = -0.0833, and every predecessor is 5
    assertThat(passReason(correlationAbove(-0.5).forecast(aboutGiB(5, 5, 5, 9))))
        .isEqualTo(
            "autocorrelation of order 1 -0.0833,"
                + " but no two samples without a gap determine a line");
  }

  @Test
  void ppDropsThePairAcrossAGap() {
    // 10 6 4 | gap | 14 8 5: pairs (10,6) (6,4) (14,8) (8,5) lie on 1 + x/2; next 1 + 5/2 = 3.5.
    // With the pair (4,14) they would not. Mean 47/6; r1 = 3.611 / 68.83 = 0.0525 from the four.
    List<MemorySample> samples = new ArrayList<>();
    long[] used = {10, 6, 4, 14, 8, 5};
    long[] seconds = {0, 15, 30, 90, 105, 120};
    for (int i = 0; i < used.length; i++) {
      samples.add(new MemorySample(START.plusSeconds(seconds[i]), MemorySize.ofGiB(used[i])));
    }
    ForecastRequest request =
        new ForecastRequest(new MemorySeries(samples), CARD, List.of(), START.plusSeconds(150));
    MemoryForecast forecast = pp.forecast(request);
    assertThat(applies(forecast).next()).isEqualTo(MemorySize.ofMiB(3584));
    assertThat(applies(forecast).reason()).contains("autocorrelation of order 1 0.0525");
    assertThat(forecast.age()).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void showsNoNegativeAgeWhenClocksDisagree() {
    ForecastRequest early = new ForecastRequest(everySecondGiB(7, 7, 7), CARD, List.of(), START);
    assertThat(cbp.forecast(early).age()).isEqualTo(Duration.ZERO);
  }

  @Test
  void refusesADeviceWithoutMemory() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> new ForecastRequest(MemorySeries.EMPTY, MemorySize.ZERO, List.of(), START))
        .withMessageContaining("capacity");
  }

  private static CorrelationBasedPrediction variationBelow(double threshold) {
    return new CorrelationBasedPrediction(
        new ResAwareSettings(threshold, 0, 1, 60, Duration.ofSeconds(1)));
  }

  private static PeakPrediction correlationAbove(double threshold) {
    return new PeakPrediction(new ResAwareSettings(0.2, threshold, 1, 60, Duration.ofSeconds(1)));
  }
}
