package dev.cotenant.engine.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.engine.testing.SampleRows;
import dev.cotenant.predictor.model.FeaturePredictor;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeldOutScoreTest {
  /** Says so many percent with this bound, and the memory that the sample rows have. */
  private static FeaturePredictor says(double mean, double upper) {
    return request -> {
      MemorySize memory = MemorySize.ofMiB(2_000 + 90L * request.model().batchSize());
      return new Prediction(
          request.device().id(),
          request.model().batchSize(),
          request.settings(),
          new UtilizationEstimate(
              Utilization.ofPercent(mean), Utilization.IDLE, Utilization.ofPercent(upper), null),
          new MemoryEstimate(memory, MemorySize.ZERO, memory, null),
          "v",
          List.of());
    };
  }

  private static HeldOutScore score(FeaturePredictor predictor) {
    List<ProfileRow> rows = List.of(SampleRows.row(1, 49), SampleRows.row(2, 49));
    return HeldOutScore.of(predictor, rows, DeviceCatalogue.builtIn());
  }

  @Test
  void poolsUtilizationAndMemoryInLogarithms() {
    // Utilization is off by ln(50/25) in both rows, memory by nothing: sqrt(2 · 0.6931² / 4) =
    // 0.4901. The
    // bound of 39 % is passed by ln(50/40) = 0.2231, at 0.9 each; of memory by nothing: 0.1004 on
    // average.
    HeldOutScore score = score(says(24, 39));
    assertThat(score.values()).isEqualTo(4);
    assertThat(score.rmsle()).isCloseTo(0.4901, within(1e-4));
    assertThat(score.upperLoss()).isCloseTo(0.1004, within(1e-4));
    assertThat(score.belowUpper()).isEqualTo(0.5);
  }

  @Test
  void aBoundOfEverythingDoesNotMakeUpForItsWidth() {
    assertThat(score(says(45, 52)).beats(score(says(40, 100)))).isTrue();
    assertThat(score(says(45, 100)).beats(score(says(40, 52)))).isFalse();
    assertThat(score(says(45, 52)).beats(score(says(45, 52)))).isFalse();
  }

  @Test
  void judgesNothingWithoutRows() {
    HeldOutScore none = HeldOutScore.of(says(1, 2), List.of(), DeviceCatalogue.builtIn());
    assertThat(none.isJudged()).isFalse();
    assertThat(none.beats(score(says(5, 6)))).isFalse();
  }
}
