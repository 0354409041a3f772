package dev.cotenant.lab.reinforcement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.learning.file.FileFormatException;
import dev.cotenant.predictor.plugin.NetworkLoader;
import dev.cotenant.predictor.plugin.NetworkLoader.Network;
import java.util.List;
import org.junit.jupiter.api.Test;

class PolicyTrainingTest {
  /** Without knowledge a quarter of the choices is right; less looking ahead learns faster. */
  private static final ActorCritic.Settings QUICK =
      new ActorCritic.Settings(List.of(32, 32), 10_000, 100, 3e-3f, 0.5f, 0.01f, 0.2f);

  @Test
  void learnsWhatTheStateNames() {
    PolicyTraining training = new PolicyTraining(new FakeChoices(), 1, QUICK);
    for (int i = 0; i < 12; i++) {
      training.runEpisode();
    }

    assertThat(training.rewards().getFirst()).isCloseTo(0.25, within(0.1));
    assertThat(training.rewards().getLast()).isGreaterThan(0.9);
  }

  @Test
  void theTemperatureFallsByAtMostTheRateInEachStep() {
    PolicyTraining training = new PolicyTraining(new FakeChoices(), 1, QUICK);
    training.runEpisode();
    training.runEpisode();

    assertThat(training.temperature()).isBetween(0.2 * Math.exp(-0.003 * 301), 0.15);
  }

  @Test
  void goesOnFromAFileAsIfItHadNotBeenWritten() {
    PolicyTraining whole = new PolicyTraining(new FakeChoices(), 3);
    PolicyTraining begun = new PolicyTraining(new FakeChoices(), 3);
    whole.runEpisode();
    whole.runEpisode();
    begun.runEpisode();

    PolicyTraining resumed = PolicyTraining.read(begun.write(), new FakeChoices());
    resumed.runEpisode();

    assertThat(resumed.rewards()).isEqualTo(whole.rewards());
    assertThat(resumed.write()).isEqualTo(whole.write());
  }

  @Test
  void anotherSeedGivesAnotherPolicy() {
    assertThat(new PolicyTraining(new FakeChoices(), 4, QUICK).toOnnx())
        .isEqualTo(new PolicyTraining(new FakeChoices(), 4, QUICK).toOnnx())
        .isNotEqualTo(new PolicyTraining(new FakeChoices(), 5, QUICK).toOnnx());
  }

  @Test
  void refusesDamagedFilesAndThoseOfOtherSizes() {
    byte[] file = new PolicyTraining(new FakeChoices(), 3).write();
    Environment other = new OtherSizes();

    assertThatThrownBy(() -> PolicyTraining.read(file, other))
        .isInstanceOf(FileFormatException.class)
        .hasMessageContaining("other sizes");
    file[100] ^= 1;
    assertThatThrownBy(() -> PolicyTraining.read(file, new FakeChoices()))
        .isInstanceOf(FileFormatException.class)
        .hasMessageContaining("damaged");
  }

  /** Weights are stored in 16 bits. */
  @Test
  void onnxRuntimeAnswersTheChancesOfTheNetwork() {
    PolicyTraining training = new PolicyTraining(new FakeChoices(), 1, QUICK);
    float[] state = {1, 0, 0, 0, 0, 0, 1, 0};
    try (Network network = NetworkLoader.installed().open(training.toOnnx(), "policy")) {
      float[] chances = network.run(state);

      assertThat(chances).hasSize(8);
      assertThat(chances[0] + chances[1] + chances[2] + chances[3]).isCloseTo(1, within(1e-5f));
      float[] own = training.chances(state);
      for (int i = 0; i < own.length; i++) {
        assertThat(chances[i]).isCloseTo(own[i], within(2e-3f));
      }
    }
  }

  /** An environment of which nothing is asked but its shape. */
  private static final class OtherSizes implements Environment {
    @Override
    public Shape shape() {
      return new Shape(3, 1, 2);
    }

    @Override
    public void begin(long seed) {}

    @Override
    public float[] state() {
      return new float[3];
    }

    @Override
    public double apply(int[] choices) {
      return 0;
    }
  }
}
