package dev.cotenant.interference.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.interference.partition.UtilizationFactor.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class UtilizationFactorTest {
  @Test
  void givesThePublishedFactorOfResNetBesideVgg() {
    // ResNet-50 b8: L2 25.8046 %, memory 51.3245 %; VGG-16 b8: 32.0600 %, 56.6834 %; both halved.
    // 0.112908·0.129023 + 0.715960·0.160300 + 0.354866·0.256623 + 0.088204·0.283417 + 0.895369
    // = 0.014568 + 0.114768 + 0.091067 + 0.024999 + 0.895369 = 1.140771
    Usage resnet = new Usage(0.25804610, 0.51324526).atShare(50);
    Usage vgg = new Usage(0.32059997, 0.56683433).atShare(50);
    assertThat(UtilizationFactor.RTX_2080_TI.of(resnet, vgg)).isCloseTo(1.1408, within(5e-5));
  }

  @Test
  void isNeverBelowOne() {
    Usage idle = new Usage(0, 0);
    assertThat(UtilizationFactor.RTX_2080_TI.of(idle, idle)).isEqualTo(1);
  }

  @Test
  void findsItsOwnConstantsAgain() {
    Random random = new Random(3);
    UtilizationFactor truth = new UtilizationFactor(0.2, 0.3, 0.1, 0.4, 1.05);
    List<UtilizationFactor.Case> cases = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      Usage own = new Usage(random.nextDouble(), random.nextDouble());
      Usage other = new Usage(random.nextDouble(), random.nextDouble());
      cases.add(new UtilizationFactor.Case(own, other, truth.of(own, other)));
    }
    UtilizationFactor found = UtilizationFactor.fit(cases).orElseThrow();
    assertThat(found.otherBandwidth()).isCloseTo(0.4, within(1e-9));
    assertThat(found.constant()).isCloseTo(1.05, within(1e-9));
  }

  @Test
  void doesNotFitCasesThatDoNotDiffer() {
    UtilizationFactor.Case same =
        new UtilizationFactor.Case(new Usage(0.1, 0.2), new Usage(0.3, 0.4), 1.1);
    assertThat(UtilizationFactor.fit(List.of(same, same, same, same, same, same))).isEmpty();
    assertThat(UtilizationFactor.fit(List.of(same))).isEmpty();
  }
}
