package dev.cotenant.service.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

/** A loop whose tasks run when the test says so. */
class LoopLagTest {
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final LoopLag lag = new LoopLag();

  private void turn() {
    lag.measure();
    channel.runPendingTasks();
  }

  @Test
  void countsOnWithHalfOfItsLength() throws InterruptedException {
    lag.add(channel.eventLoop());
    assertThat(lag.nanos()).isZero();
    lag.measure();
    Thread.sleep(200);
    assertThat(lag.nanos()).as("under way").isPositive();
    channel.runPendingTasks();
    long before = lag.nanos();
    turn();
    assertThat(lag.nanos()).isGreaterThanOrEqualTo(before / 2).isLessThan(before);
    turn();
    assertThat(lag.nanos()).isGreaterThanOrEqualTo(before / 4).isLessThan(before);
  }
}
