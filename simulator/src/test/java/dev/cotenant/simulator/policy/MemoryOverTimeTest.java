package dev.cotenant.simulator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.simulator.world.Arrival;
import dev.cotenant.simulator.world.Observer;
import dev.cotenant.simulator.world.Phase;
import dev.cotenant.simulator.world.Totals;
import dev.cotenant.simulator.world.Truth;
import dev.cotenant.simulator.world.World;
import dev.cotenant.simulator.world.WorldSettings;
import dev.cotenant.simulator.world.WorldSettings.History;
import dev.cotenant.simulator.world.Worlds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Jobs of 100 s that allocate 14 of 24 GiB after 30 s: two never fit at their peaks. */
class MemoryOverTimeTest {
  private static final MemorySize PEAK = MemorySize.ofGiB(14);

  private final List<Observer.Ended> ended = new ArrayList<>();

  private static Arrival job(String name, long at, long loading, long working) {
    Phase.Load load = new Phase.Load("load", 10);
    Truth truth =
        Truth.of(
            List.of(
                Phase.of(Duration.ofSeconds(loading), load, MemorySize.ZERO),
                Phase.of(Duration.ofSeconds(working), load, PEAK)));
    return new Arrival(Duration.ofSeconds(at), Worlds.submission(name, 10, PEAK), truth);
  }

  private Totals run(Arrival... jobs) {
    WorldSettings settings =
        Worlds.gpus(1, (_, _, _) -> 1).withHistory(new History(Duration.ofSeconds(1), 60));
    return World.run(
        settings, List.of(jobs).iterator(), new MemoryOverTime(Worlds.DEVICE.id(), 3), ended::add);
  }

  /**
   * Nothing is known of the first, so that the second waits for its end. The third expects the
   * second to end after at most 110 s, at 210, and to need no memory itself for 30 s / 1.1.
   */
  @Test
  void aJobLoadsWhileAnotherIsAboutToEnd() {
    Totals totals = run(job("a", 0, 30, 70), job("a", 1, 30, 70), job("a", 2, 30, 70));

    assertThat(totals.outOfMemoryKills()).isZero();
    assertThat(ended.get(1).waited()).isEqualTo(Duration.ofSeconds(99));
    assertThat(ended.get(2).waited().plusSeconds(2))
        .isBetween(Duration.ofSeconds(180), Duration.ofSeconds(190));
  }

  /** The third needs its memory at once, though the first two of its configuration did not. */
  @Test
  void aJobThatRunsOutOfMemoryStartsAgainWherePeaksFit() {
    Totals totals = run(job("a", 0, 30, 70), job("a", 1, 30, 70), job("a", 2, 1, 99));

    assertThat(totals.outOfMemoryKills()).isEqualTo(1);
    assertThat(totals.finished()).isEqualTo(3);
    assertThat(ended.getLast().ended()).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void anotherConfigurationHasNoMemoryOverTime() {
    run(job("a", 0, 30, 70), job("a", 1, 30, 70), job("b", 2, 30, 70));

    assertThat(ended.getLast().submission().name()).isEqualTo("b");
    assertThat(ended.getLast().waited()).isEqualTo(Duration.ofSeconds(198));
  }
}
