package dev.cotenant.interference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ServerCopiesTest {
  @Test
  void useWhatOneLeavesIdleAndThenTakeTurns() {
    assertThat(ServerCopies.slowdown(1, 100)).isEqualTo(1);
    assertThat(ServerCopies.slowdown(2, 60)).isCloseTo(1, within(0.01));
    assertThat(ServerCopies.slowdown(3, 300)).isCloseTo(2.79, within(0.01));
    assertThat(ServerCopies.slowdown(2, 200)).isBetween(1.85, 1.87);
  }

  @Test
  void areNeverSlowerThanOneAfterTheOther() {
    for (int copies = 1; copies <= 8; copies++) {
      for (int percent = 0; percent <= 1_000; percent += 10) {
        assertThat(ServerCopies.slowdown(copies, percent)).isBetween(1.0, (double) copies);
      }
    }
  }
}
