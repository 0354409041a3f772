package dev.cotenant.forecast;

import static dev.cotenant.forecast.Questions.CARD;
import static dev.cotenant.forecast.Questions.about;
import static dev.cotenant.forecast.Questions.aboutGiB;
import static dev.cotenant.forecast.Questions.everySecondGiB;
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
import java.util.Random;
import org.junit.jupiter.api.Test;

class ResAwareChainTest {
  private final ResAwareChain chain = new ResAwareChain(ResAwareSettings.DEFAULT);

  @Test
  void asksAgnosticThenCbpThenPp() {
    assertThat(chain.forecasts(aboutGiB(7, 7)).stream().map(MemoryForecast::estimator))
        .containsExactly("agnostic", "cbp", "pp");
  }

  @Test
  void letsInByGrantsAloneWhereTheyLeaveRoom() {
    // 32 - 14 = 18 > 14
    Placement placement = chain.place(about(MemorySeries.EMPTY, gib(14)), gib(14));
    assertThat(placement)
        .isEqualTo(
            new Placement.Fits(
                "agnostic",
                gib(18),
                List.of(
                    new StageAnswer.Satisfied(
                        "agnostic",
                        gib(18),
                        "request 14 GiB is less than 18 GiB free: 1 grant of 14 GiB"))));
  }

  @Test
  void letsInAnOverProvisionedEngineByWhatIsUsed() {
    // The paper's case: engines of 7 GB that ask for 14. Two are granted, 32 - 28 = 4 < 14, but
    // used memory is flat at 14, and 32 - 14 = 18 >= 14.
    ForecastRequest question = about(everySecondGiB(14, 14, 14, 14), gib(14), gib(14));
    Placement placement = chain.place(question, gib(14));
    assertThat(placement).isInstanceOf(Placement.Fits.class);
    assertThat(((Placement.Fits) placement).stage()).isEqualTo("cbp");
    assertThat(((Placement.Fits) placement).free()).isEqualTo(gib(18));
    assertThat(placement.answers())
        .containsExactly(
            new StageAnswer.TooLarge(
                "agnostic",
                gib(4),
                "request 14 GiB is not less than 4 GiB free: 2 grants of 28 GiB"),
            new StageAnswer.Satisfied(
                "cbp",
                gib(18),
                "request 14 GiB is at most 18 GiB free: 80th percentile:"
                    + " coefficient of variation 0.0000 is below 0.2000"));
  }

  @Test
  void letsInByForecastWhereUseIsFalling() {
    // 24 20 16 12: sigma = sqrt(80 / 4) = 4.472, CV = 4.472 / 18 = .2485, not below .2;
    // PP forecasts 8 (see StagesTest), 32 - 8 = 24
    ForecastRequest question = about(everySecondGiB(24, 20, 16, 12), gib(28));
    assertThat(chain.place(question, gib(24)))
        .isInstanceOfSatisfying(
            Placement.Fits.class,
            fits -> {
              assertThat(fits.stage()).isEqualTo("pp");
              assertThat(fits.free()).isEqualTo(gib(24));
              assertThat(fits.answers().get(1))
                  .isEqualTo(
                      new StageAnswer.NoEstimate(
                          "cbp", "coefficient of variation 0.2485 is not below 0.2000"));
            });
    Placement larger = chain.place(question, MemorySize.ofBytes(gib(24).bytes() + 1));
    assertThat(larger).isInstanceOf(Placement.DoesNotFit.class);
    assertThat(larger.answers().stream().map(StageAnswer::stage))
        .containsExactly("agnostic", "cbp", "pp");
  }

  @Test
  void asksPpWhenCbpFindsTooLittleRoom() {
    // 12 11 10 9: mean 10.5, CV = sqrt(5 / 4) / 10.5 = .1065; P80 rank 2.4: 11 + .4 = 11.4, free
    // 20.6; AR(1) slope 1, c = -1, next 8, free 24
    Placement placement = chain.place(about(everySecondGiB(12, 11, 10, 9), gib(28)), gib(22));
    assertThat(placement.answers().get(1)).isInstanceOf(StageAnswer.TooLarge.class);
    assertThat(((Placement.Fits) placement).stage()).isEqualTo("pp");
  }

  @Test
  void isStrictForAgnosticAndInclusiveAfterIt() {
    ForecastRequest flat = about(everySecondGiB(14, 14, 14), gib(14));
    // agnostic: 18 < 32 - 14 is false; CBP: 18 <= 32 - 14 is true
    assertThat(((Placement.Fits) chain.place(flat, gib(18))).stage()).isEqualTo("cbp");
    assertThat(chain.place(flat, MemorySize.ofBytes(gib(18).bytes() + 1)))
        .isInstanceOf(Placement.DoesNotFit.class);
  }

  @Test
  void refusesAWholeDeviceWithoutMetricsForAgnosticIsStrict() {
    Placement placement = chain.place(about(MemorySeries.EMPTY), CARD);
    assertThat(placement).isInstanceOf(Placement.DoesNotFit.class);
    assertThat(placement.answers().get(1))
        .isEqualTo(new StageAnswer.NoEstimate("cbp", "needs at least 2 samples, has 0"));
  }

  @Test
  void admitsNothingLargerThanTheDeviceThoughTheForecastIsBelowZero() {
    ForecastRequest falling = about(everySecondGiB(24, 16, 8, 0), gib(32));
    assertThat(chain.place(falling, gib(33))).isInstanceOf(Placement.DoesNotFit.class);
    assertThat(chain.place(falling, gib(32))).isInstanceOf(Placement.Fits.class);
  }

  @Test
  void keepsItsPromisesOnAnySeries() {
    Random random = new Random(9);
    List<MemoryForecaster> forecasters =
        ForecasterCatalogue.all(
            new PeakBound(PeakModelFile.shipped(), Duration.ofMinutes(2)),
            ResAwareSettings.DEFAULT);
    for (int round = 0; round < 5_000; round++) {
      ForecastRequest question = Questions.random(random);
      forecasters.forEach(forecaster -> verify(forecaster, question));
      verify(question, MemorySize.ofBytes(random.nextLong(CARD.bytes() * 2)));
    }
  }

  private static void verify(MemoryForecaster forecaster, ForecastRequest question) {
    MemoryForecast forecast = forecaster.forecast(question);
    assertThat(forecast).isEqualTo(forecaster.forecast(question));
    assertThat(forecast.estimator()).isEqualTo(forecaster.name());
    assertThat(forecast.verdict().reason()).isNotBlank().doesNotContain("\n", "NaN", "Infinity");
    assertThat(forecast.age() == null).isEqualTo(forecast.samples() == 0);
    assertThat(forecast.age() == null || !forecast.age().isNegative()).isTrue();
    if (forecast.verdict() instanceof MemoryForecast.Applies applies) {
      assertThat(applies.next()).isLessThanOrEqualTo(applies.peak());
      assertThat(applies.peak()).isLessThanOrEqualTo(applies.peakUpper());
      assertThat(applies.peakUpper()).isLessThanOrEqualTo(question.capacity());
    }
  }

  private void verify(ForecastRequest question, MemorySize request) {
    Placement placement = chain.place(question, request);
    List<MemoryForecast> forecasts = chain.forecasts(question);
    boolean fits = false;
    for (int stage = 0; stage < forecasts.size() && !fits; stage++) {
      fits = wouldFit(forecasts.get(stage), question, request);
    }
    assertThat(placement instanceof Placement.Fits).isEqualTo(fits);

    List<MemorySize> shuffled = new ArrayList<>(Objects.requireNonNull(question.granted()));
    Collections.reverse(shuffled);
    assertThat(
            chain.place(
                new ForecastRequest(
                    question.series(), question.capacity(), shuffled, question.now()),
                request))
        .isEqualTo(placement);
  }

  private static boolean wouldFit(
      MemoryForecast forecast, ForecastRequest question, MemorySize request) {
    if (!(forecast.verdict() instanceof MemoryForecast.Applies applies)) {
      return false;
    }
    long free = question.capacity().bytes() - applies.peak().bytes();
    return forecast.estimator().equals("agnostic")
        ? request.bytes() < free
        : request.bytes() <= free;
  }

  private static MemorySize gib(long gibibytes) {
    return MemorySize.ofGiB(gibibytes);
  }
}
