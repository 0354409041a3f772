package dev.cotenant.evaluation.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PairedGainTest {
  @Test
  void aGainThatIsAlwaysTheSameIsCertain() {
    PairedGain gain = PairedGain.of(new double[] {0.25, 0.25, 0.25}, 1);

    assertThat(gain).isEqualTo(new PairedGain(0.25, 0.25));
  }

  @Test
  void isAboutTheNormalIntervalOfManyDraws() {
    // Standard error of the mean of 400 draws of sd 1 is 0.05; 1.96 of them on each side.
    Random random = new Random(1);
    double[] differences = new double[400];
    for (int i = 0; i < differences.length; i++) {
      differences[i] = random.nextGaussian();
    }
    PairedGain gain = PairedGain.of(differences, 1);

    double mean = Arrays.stream(differences).average().orElseThrow();
    assertThat(gain.upper() - mean).isCloseTo(0.098, within(0.015));
    assertThat(mean - gain.lower()).isCloseTo(0.098, within(0.015));
    assertThat(PairedGain.of(differences, 1)).isEqualTo(gain);
  }
}
