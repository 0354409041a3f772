package dev.cotenant.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.simulator.world.Phase;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatedErrorTest {
  private static final DeviceId DEVICE = new DeviceId("a100-40gb");

  private static double speed(StatedError error, String own, String other, double percent) {
    return error.speed(
        new Phase.Load(own, percent), List.of(new Phase.Load(other, percent)), DEVICE);
  }

  @Test
  void errsLittleWhereLittleIsShared() {
    int harmed = 0;
    for (int i = 0; i < 1_000; i++) {
      harmed += speed(new StatedError(0), "a" + i, "b", 5) < 1 / 1.15 ? 1 : 0;
    }
    assertThat(harmed).isZero();
  }

  @Test
  void repeatsADrawAndDiffersBetweenDraws() {
    double speed = speed(new StatedError(1), "a", "b", 60);
    assertThat(speed(new StatedError(1), "a", "b", 60)).isEqualTo(speed);
    assertThat(speed(new StatedError(2), "a", "b", 60)).isNotEqualTo(speed);
  }

  @Test
  void drawsOfSimilarNamesAreIndependent() {
    assertThat(speed(new StatedError(1), "job-17", "b", 60))
        .isNotEqualTo(speed(new StatedError(0), "job-27", "b", 60));
  }
}
