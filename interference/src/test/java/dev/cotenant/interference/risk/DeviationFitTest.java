package dev.cotenant.interference.risk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DeviationFitTest {
  private static final DeviationFit.Settings SETTINGS = new DeviationFit.Settings(150, 30, 1);

  /** Speeds that depend on the victim's configuration alone, with a deviation of 0.1. */
  @Test
  void findsTheEffectThatTheSpeedsHave() {
    Random random = new Random(1);
    List<SpeedMeasurement> measured = new ArrayList<>();
    for (int victim = 0; victim < 15; victim++) {
      double effect = 0.1 * random.nextGaussian();
      for (int aggressor = 0; aggressor < 10; aggressor++) {
        measured.add(
            new SpeedMeasurement(
                Jobs.beside(
                    new SharedJob("victim" + victim, "model" + victim, 0.5, 0.5),
                    new SharedJob("aggressor" + aggressor, "other" + aggressor, 0.5, 0.5)),
                Math.exp(effect + 0.01 * random.nextGaussian()),
                0.01));
      }
    }
    Deviations fitted = DeviationFit.fit(measured, UsageScale.UNIFORM, SETTINGS);
    double ofVictims =
        Math.sqrt(fitted.variance(Effect.VICTIM) + fitted.variance(Effect.VICTIM_MODEL));

    assertThat(ofVictims).isBetween(0.05, 0.2);
    assertThat(fitted.byEffect().get(Effect.AGGRESSOR)).isLessThan(0.02);
    assertThat(fitted.byEffect().get(Effect.CELL)).isLessThan(0.02);
  }

  @Test
  void theSameSeedGivesTheSameDeviations() {
    List<SpeedMeasurement> measured = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      measured.add(
          Jobs.speed(0.8 + 0.01 * i, Jobs.job("a" + i % 5, 0.4), Jobs.job("b" + i % 7, 0.6)));
    }
    DeviationFit.Settings fewer = new DeviationFit.Settings(20, 5, 3);

    assertThat(DeviationFit.fit(measured, UsageScale.UNIFORM, fewer))
        .isEqualTo(DeviationFit.fit(measured, UsageScale.UNIFORM, fewer));
  }

  @Test
  void nothingIsFittedToNothing() {
    assertThatThrownBy(() -> DeviationFit.fit(List.of(), UsageScale.UNIFORM, SETTINGS))
        .hasMessageContaining("at least one measurement");
  }
}
