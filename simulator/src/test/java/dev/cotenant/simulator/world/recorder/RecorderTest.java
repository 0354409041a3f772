package dev.cotenant.simulator.world.recorder;

import static dev.cotenant.simulator.world.Worlds.FIFTH;
import static dev.cotenant.simulator.world.Worlds.gpus;
import static dev.cotenant.simulator.world.Worlds.job;
import static dev.cotenant.simulator.world.Worlds.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.simulator.world.Arrival;
import dev.cotenant.simulator.world.Observer;
import dev.cotenant.simulator.world.Placement;
import dev.cotenant.simulator.world.Policy;
import dev.cotenant.simulator.world.RandomWorld;
import dev.cotenant.simulator.world.Totals;
import dev.cotenant.simulator.world.World;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecorderTest {
  private static final Policy FIRST_IDLE =
      (job, view) ->
          view.idle().isEmpty() ? Placement.waiting() : Placement.on(view.idle().first());

  private static Recorder recorded(Arrival... jobs) {
    Recorder recorder = new Recorder();
    World.run(gpus(2, FIFTH), List.of(jobs).iterator(), FIRST_IDLE, recorder);
    return recorder;
  }

  /** a runs from 0.5 s to 10.5 s on one of two GPUs, c waits from 3.5 s to 10.5 s. */
  @Test
  void samplesTheClusterEverySecond() {
    Recorder recorder =
        recorded(job("a", 0, 10, 50, 6), job("b", 1, 19, 30, 3), job("c", 3, 10, 20, 12));

    List<Observer.Sample> samples = recorder.samples();
    assertThat(samples).hasSize(20);
    assertThat(samples.get(5))
        .isEqualTo(new Observer.Sample(seconds(5), 2, 1, 40, 100 * 9 / 48.0, 200 + 160));
    assertThat(samples.get(15).busyGpus()).isEqualTo(2);
    assertThat(samples.get(15).waiting()).isZero();
    assertThat(recorder.waiting().points().getFirst())
        .isEqualTo(new Distribution.Point(0, 2 / 3.0));
    assertThat(recorder.waiting().points().getLast().value()).isCloseTo(7, within(0.09));
    assertThat(recorder.slowdown().points().getLast().value()).isCloseTo(1, within(0.012));
    assertThat(recorder.completion().points().getLast().value()).isCloseTo(19, within(0.23));
  }

  @Test
  void holdsABoundedNumberOfSamplesAtEqualIntervals() {
    Recorder recorder = recorded(job("long", 0, 1_000_000, 50, 6));

    List<Observer.Sample> samples = recorder.samples();
    assertThat(samples).hasSizeBetween(256, 512);
    long step = samples.get(1).at().toSeconds();
    for (int i = 0; i < samples.size(); i++) {
      assertThat(samples.get(i).at()).isEqualTo(seconds(i * step));
    }
  }

  @Test
  void observationChangesNothing() {
    RandomWorld first = RandomWorld.of(7);
    RandomWorld second = RandomWorld.of(7);
    Totals seen =
        World.run(first.settings(), first.jobs().iterator(), first.policy(), new Recorder());
    Totals unseen = World.run(second.settings(), second.jobs().iterator(), second.policy());

    assertThat(seen).usingRecursiveComparison().isEqualTo(unseen);
  }

  @Test
  void aDistributionHasTheSharesOfItsValues() {
    Distribution distribution = new Distribution();
    for (double value : new double[] {0, 1, 10, 1e12}) {
      distribution.add(value);
    }

    assertThat(distribution.points())
        .extracting(Distribution.Point::share)
        .containsExactly(0.25, 0.5, 0.75, 1.0);
    assertThat(distribution.points().getFirst().value()).isZero();
    assertThat(distribution.points().get(2).value()).isCloseTo(10, within(0.12));
    assertThat(new Distribution().points()).isEmpty();
    assertThatThrownBy(() -> distribution.add(-1)).hasMessageContaining("-1");
  }
}
