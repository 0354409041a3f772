package dev.cotenant.forecast;

import static dev.cotenant.forecast.Requests.CARD;
import static dev.cotenant.forecast.Requests.START;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.forecast.MemorySample;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * ResAware, section 6.1: engines of 7 GB on a card of 32 GB, their requests over-provisioned.
 *
 * <p>Every engine runs long enough to fill the window before the next arrives, so the figures of
 * the chain are those of a settled card; the paper's own runs have arrivals every 5 to 10 s.
 */
class HomogeneousWorkloadTest {
  private static final MemorySize USED_BY_ENGINE = MemorySize.ofGiB(7);
  private static final int WINDOW = ResAwareSettings.DEFAULT.windowSamples();
  private final ResAwareChain chain = new ResAwareChain(ResAwareSettings.DEFAULT);

  /*
   * Agnostic is Alibaba's gpushare in the paper, which states 4, 3, 2, 1, 1 and 1 engines for 0 to
   * 250 % (10.5 < 32 - 21 = 11, 14 < 32 - 14 = 18 but not 4, 17.5 < 14.5 is false). The chain
   * admits while request <= 32 - 7 n for n engines: 10.5 <= 32 - 21 = 11, 14 <= 18 but not 11, 17.5 <= 18,
   * 21 <= 25 but not 18, 24.5 <= 25 but not 18.
   */
  @ParameterizedTest(name = "over-provisioned by {0} %")
  @CsvSource({"0,4,4", "50,3,4", "100,2,3", "150,1,3", "200,1,2", "250,1,2"})
  void admitsAsManyEnginesAsThePaperOverProvisioningNotwithstanding(
      int overProvisioningPercent, int agnosticEngines, int chainEngines) {
    MemorySize request = USED_BY_ENGINE.times(1 + overProvisioningPercent / 100.0);
    assertThat(admitted(request, stage -> stage.equals(Optional.of("agnostic"))))
        .isEqualTo(agnosticEngines);
    assertThat(admitted(request, Optional::isPresent)).isEqualTo(chainEngines);
  }

  private int admitted(MemorySize request, Predicate<Optional<String>> admits) {
    int engines = 0;
    while (admits.test(chain.admittingStage(card(engines, request), request))) {
      engines++;
    }
    return engines;
  }

  private static ForecastRequest card(int engines, MemorySize request) {
    MemorySize used = USED_BY_ENGINE.times(engines);
    List<MemorySample> samples =
        IntStream.range(0, WINDOW)
            .mapToObj(second -> new MemorySample(START.plusSeconds(second), used))
            .toList();
    return new ForecastRequest(
        new MemorySeries(samples),
        CARD,
        Collections.nCopies(engines, request),
        START.plusSeconds(WINDOW));
  }
}
