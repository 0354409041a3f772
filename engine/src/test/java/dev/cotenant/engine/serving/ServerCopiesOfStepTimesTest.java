package dev.cotenant.engine.serving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.interference.ServerCopies;
import dev.cotenant.predictor.steptime.MpsCopies;
import org.junit.jupiter.api.Test;

/** Decisions and the step-time model state one rule of copies. */
class ServerCopiesOfStepTimesTest {
  @Test
  void coefficientsAreThoseOfTheStepTimeModel() {
    assertThat(ServerCopies.WAITED_FOR).isEqualTo(MpsCopies.TYPICAL.device());
    assertThat(ServerCopies.EXPONENT).isEqualTo(MpsCopies.TYPICAL.exponent());
  }
}
