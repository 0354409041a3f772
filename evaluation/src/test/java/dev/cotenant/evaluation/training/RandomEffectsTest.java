package dev.cotenant.evaluation.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.evaluation.training.RandomEffects.Priors;
import dev.cotenant.evaluation.training.RandomEffects.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RandomEffectsTest {
  private static Row row(double x, String level) {
    return new Row(new double[] {x}, List.of(level));
  }

  private static Priors priors(double effect, double noise) {
    return new Priors(new double[] {1}, new double[] {effect}, noise);
  }

  @Test
  void shrinksTowardsNothingByTheNoise() {
    // y = 3 of one row, x 1: coefficient, effect and noise of deviation 1 each share it: 1 each.
    RandomEffects fit =
        RandomEffects.fit(List.of(row(1, "a")), new double[] {3}, List.of(priors(1, 1)))
            .orElseThrow();
    assertThat(fit.fixed()[0]).isCloseTo(1, within(1e-12));
    assertThat(fit.mean(row(1, "a"))).isCloseTo(2, within(1e-12));
    assertThat(fit.mean(row(1, "b"))).isCloseTo(1, within(1e-12));
    // Noise 1 and of what is known of a sum of variance 2, seen once with noise 1: 2 − 4/3.
    assertThat(fit.deviation(row(1, "a"))).isCloseTo(Math.sqrt(1 + 2.0 / 3), within(1e-12));
  }

  @Test
  void choosesThePriorsUnderWhichTheRowsAreLikeliest() {
    for (double effect : new double[] {0.1, 1}) {
      for (double noise : new double[] {0.05, 0.5}) {
        Random random = new Random(5);
        List<Row> rows = new ArrayList<>();
        double[] targets = new double[400];
        double[] effects = new double[40];
        for (int i = 0; i < effects.length; i++) {
          effects[i] = effect * random.nextGaussian();
        }
        for (int i = 0; i < targets.length; i++) {
          double x = random.nextGaussian();
          rows.add(row(x, "level-" + i % 40));
          targets[i] = 0.7 * x + effects[i % 40] + noise * random.nextGaussian();
        }
        List<Priors> candidates =
            List.of(priors(0.1, 0.05), priors(0.1, 0.5), priors(1, 0.05), priors(1, 0.5));
        Priors chosen = RandomEffects.fit(rows, targets, candidates).orElseThrow().priors();
        assertThat(chosen.groups()[0]).isEqualTo(effect);
        assertThat(chosen.noise()).isEqualTo(noise);
      }
    }
  }

  @Test
  void hasNothingToSayOfNoRows() {
    assertThat(RandomEffects.fit(List.of(), new double[0], List.of(priors(1, 1)))).isEmpty();
  }
}
