package dev.cotenant.simulator.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds in every world, whatever the policy does. */
class WorldInvariantsTest {
  static LongStream seeds() {
    return LongStream.range(0, 40);
  }

  private static Totals audited(long seed) {
    RandomWorld random = RandomWorld.of(seed);
    World world = new World(random.settings(), random.policy(), _ -> {});
    Audit audit = new Audit(world, random.settings());
    Totals totals = world.run(random.jobs().iterator(), audit::look);
    audit.close(totals);
    return totals;
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void memoryTimeWorkAndEnergyAddUp(long seed) {
    Totals totals = audited(seed);

    assertThat(totals.unplaced()).isZero();
    assertThat(totals.finished()).isPositive();
  }

  /** Else the seeds would test nothing. */
  @Test
  void theSeedsHaveInterruptionsOfEveryKind() {
    long kills = 0;
    long failed = 0;
    long moves = 0;
    for (long seed : seeds().toArray()) {
      Totals totals = audited(seed);
      kills += totals.outOfMemoryKills();
      failed += totals.failed();
      moves += totals.moves();
    }

    assertThat(kills).isGreaterThan(100);
    assertThat(failed).isBetween(1L, kills / 2);
    assertThat(moves).isGreaterThan(500);
  }
}
