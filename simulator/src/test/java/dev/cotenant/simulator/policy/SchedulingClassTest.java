package dev.cotenant.simulator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.simulator.world.Arrival;
import dev.cotenant.simulator.world.Phase;
import dev.cotenant.simulator.world.Submission;
import dev.cotenant.simulator.world.Totals;
import dev.cotenant.simulator.world.Truth;
import dev.cotenant.simulator.world.World;
import dev.cotenant.simulator.world.WorldSettings;
import dev.cotenant.simulator.world.Worlds;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job that waits holds up only jobs that fit the same GPUs. */
class SchedulingClassTest {
  private static Arrival job(String name, String configuration, long at, long work) {
    MemorySize memory = MemorySize.ofGiB(2);
    Submission alike = Worlds.submission("alike", 20, memory);
    return new Arrival(
        Duration.ofSeconds(at),
        new Submission(name, configuration, memory, alike.predictions()),
        Truth.of(Phase.of(Duration.ofSeconds(work), new Phase.Load(configuration, 20), memory)));
  }

  /**
   * Configurations a and b must not share. The second b waits; c has the same memory and the same
   * prediction and may join.
   */
  @ParameterizedTest
  @ValueSource(strings = {"gpushare", "utilization", "decide", "gate", "resaware", "oracle"})
  void aConfigurationThatMayJoinIsNotHeldUpByOneThatMayNot(String policy) {
    WorldSettings settings =
        Worlds.gpus(1, (_, _, _) -> 1)
            .withMayShare((one, two) -> one.equals("c") || two.equals("c"))
            .withHistory(new WorldSettings.History(Duration.ofSeconds(1), 60));
    Policies.Setting setting =
        new Policies.Setting(
            settings,
            new SharingDecider(FallbackInterferenceModel.builtIn()),
            SharingLimits.DEFAULT,
            Worlds.DEVICE.id(),
            3);

    Totals totals =
        World.run(
            settings,
            List.of(job("a", "a", 0, 1_000), job("b", "b", 10, 1_000), job("c", "c", 20, 100))
                .iterator(),
            Policies.make(policy, setting));

    // a and b one after the other, c beside the first: 990 s of waiting in all.
    assertThat(totals.meanWaitSeconds()).isEqualTo(330);
  }
}
