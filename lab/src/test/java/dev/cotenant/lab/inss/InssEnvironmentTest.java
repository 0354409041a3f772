package dev.cotenant.lab.inss;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class InssEnvironmentTest {
  /** One model on each half of a GPU, VGG16 and ResNet50 on GPUs of their own. */
  private static final int[] SPREAD = {4, 19, 29, 34, 34, 4};

  /** A tenth of the first GPU for each. */
  private static final int[] CROWDED = {0, 0, 0, 0, 0, 0};

  private final InssEnvironment environment = new InssEnvironment(InssServer.ofSix());

  @Test
  void theSameSeedAndChoicesGiveTheSameSteps() {
    environment.begin(5);
    float[] first = environment.state();
    double reward = environment.apply(SPREAD);
    float[] second = environment.state();
    environment.begin(6);
    environment.apply(CROWDED);

    environment.begin(5);
    assertThat(environment.state()).isEqualTo(first);
    assertThat(environment.apply(SPREAD)).isEqualTo(reward);
    assertThat(environment.state()).isEqualTo(second);
  }

  /** At most the six violations of all requests, and a few units of normalised throughput. */
  @Test
  void throughputIsRewardedAndViolationsAreNot() {
    double spread = mean(SPREAD);
    double crowded = mean(CROWDED);

    assertThat(spread).isBetween(0.0, 1.0);
    assertThat(crowded).isBetween(-6.0, -0.5);
  }

  @Test
  void whatIsPlacedUsesMemory() {
    environment.begin(1);

    environment.apply(SPREAD);
    float[] state = environment.state();

    assertThat(state[0]).isBetween(0.1f, 1f);
    assertThat(state[1]).isBetween(0.05f, 1f);
  }

  private double mean(int[] choices) {
    environment.begin(1);
    double sum = 0;
    for (int i = 0; i < 50; i++) {
      sum += environment.apply(choices);
    }
    return sum / 50;
  }
}
