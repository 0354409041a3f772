package dev.cotenant.domain.quantity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShareTest {
  @Test
  void keepsEveryTenthOfAPercentExactly() {
    IntStream.rangeClosed(1, 1000)
        .mapToObj(Share::new)
        .forEach(share -> assertThat(Share.ofPercent(share.percent())).isEqualTo(share));
  }

  @Test
  void addsUpExactly() {
    assertThat(Share.ofPercent(0.1).times(1000)).isEqualTo(Share.WHOLE);
    assertThat(Share.ofPercent(2.5).perGpu()).isEqualTo(40);
    assertThat(Share.ofPercent(30).perGpu()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -5, 0.05, 0.25, 100.1, 1e300, Double.NaN, Double.POSITIVE_INFINITY})
  void refusesWhatIsNoShare(double percent) {
    assertThatThrownBy(() -> Share.ofPercent(percent))
        .isInstanceOfSatisfying(
            InputException.class, e -> assertThat(e.code()).isEqualTo("share-out-of-range"))
        .hasMessageContaining("from 0.1 to 100 % in steps of 0.1");
  }

  @Test
  void roundsMeasuredPercentagesIntoRange() {
    assertThat(Share.nearestToPercent(2.54)).isEqualTo(Share.ofPercent(2.5));
    assertThat(Share.nearestToPercent(0.01)).isEqualTo(Share.ofPercent(0.1));
    assertThat(Share.nearestToPercent(140)).isEqualTo(Share.WHOLE);
    assertThat(Share.atLeastPercent(2.51)).isEqualTo(Share.ofPercent(2.6));
    assertThat(Share.atLeastPercent(2.5 + 1e-12)).isEqualTo(Share.ofPercent(2.5));
    assertThat(Share.atLeastPercent(140)).isEqualTo(Share.WHOLE);
    assertThat(Share.atMostPercent(2.59)).isEqualTo(Share.ofPercent(2.5));
    assertThat(Share.atMostPercent(7 * (100 / 7.0))).isEqualTo(Share.WHOLE);
    assertThat(Share.atMostPercent(0)).isEqualTo(Share.STEP);
    assertThat(Share.atMostPercent(140)).isEqualTo(Share.WHOLE);
  }

  @Test
  void sharesOfAGpuAddUpToItAndNoMore() {
    SummedShare half = SummedShare.of(List.of(Share.ofPercent(20), Share.ofPercent(30)));

    assertThat(half.plus(Share.ofPercent(50)).isOfOneGpu()).isTrue();
    assertThat(half.plus(Share.ofPercent(50.1)).isOfOneGpu()).isFalse();
  }

  @Test
  void holdsMoreThanAGpuInNoShare() {
    assertThatThrownBy(() -> Share.ofPercent(50).times(3)).isInstanceOf(InputException.class);
    assertThat(Share.ofPercent(50)).hasToString("50.0 %").isLessThan(Share.WHOLE);
  }
}
