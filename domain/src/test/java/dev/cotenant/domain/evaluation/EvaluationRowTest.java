package dev.cotenant.domain.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.evaluation.EvaluationRow.Subject;
import org.junit.jupiter.api.Test;

class EvaluationRowTest {
  private static final Subject SUBJECT = new Subject("forecast", "pod-out", "mean", "mae_mib");

  @Test
  void statesTheMeanOverSeedsAndItsSpread() {
    // 1, 2, 6: mean 3; squares 4 + 1 + 9 = 14 over n − 1 = 2: sd √7
    EvaluationRow row = EvaluationRow.overSeeds(SUBJECT, new double[] {1, 2, 6}, 40, 2.5);
    assertThat(row.value()).isEqualTo(3);
    assertThat(row.sd()).isCloseTo(Math.sqrt(7), within(1e-12));
    assertThat(row.min()).isEqualTo(1);
    assertThat(row.max()).isEqualTo(6);
    assertThat(row.rows()).isEqualTo(40);
    assertThat(row.seeds()).isEqualTo(3);
    assertThat(row.reference()).isEqualTo(2.5);
  }

  @Test
  void hasNoSpreadOverOneSeed() {
    EvaluationRow row = EvaluationRow.overSeeds(SUBJECT, new double[] {7}, 1, null);
    assertThat(row.sd()).isZero();
    assertThat(row.reference()).isNull();
  }

  @Test
  void refusesWhatIsNoNumber() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EvaluationRow.overSeeds(SUBJECT, new double[] {Double.NaN}, 1, null))
        .withMessageContaining("forecast pod-out mean mae_mib");
  }
}
