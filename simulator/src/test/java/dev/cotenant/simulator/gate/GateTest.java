package dev.cotenant.simulator.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import dev.cotenant.simulator.world.Arrival;
import dev.cotenant.simulator.world.Observer;
import dev.cotenant.simulator.world.Phase;
import dev.cotenant.simulator.world.Submission;
import dev.cotenant.simulator.world.Totals;
import dev.cotenant.simulator.world.Truth;
import dev.cotenant.simulator.world.World;
import dev.cotenant.simulator.world.WorldSettings;
import dev.cotenant.simulator.world.Worlds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the gate controller does that a decision alone does not. */
class GateTest {
  private static final Duration READING = Duration.ofSeconds(15);

  private final List<Observer.Ended> ended = new ArrayList<>();

  private Totals run(WorldSettings settings, Arrival... jobs) {
    SharingDecider decider = new SharingDecider(FallbackInterferenceModel.builtIn());
    Gate gate = new Gate(decider, SharingLimits.DEFAULT, settings.mayShare());
    Totals totals = World.run(settings, List.of(jobs).iterator(), gate, ended::add);
    assertThat(gate.brokenInvariants()).isEmpty();
    return totals;
  }

  private Observer.Ended ended(String name) {
    return ended.stream()
        .filter(job -> job.submission().name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** 24 GiB less the headroom of 5 % are less than 23 GiB: no share, but a whole GPU. */
  @Test
  void aJobTooLargeForAShareGetsAWholeGpuAfterTenMinutes() {
    run(Worlds.gpus(1, Worlds.FIFTH), Worlds.job("large", 100, 50, 20, 23));

    assertThat(ended("large").waited())
        .isBetween(Duration.ofMinutes(10), Duration.ofMinutes(10).plus(READING));
  }

  @Test
  void aJobThatNeverFitsEndsTheRunAndNotTheOthers() {
    Submission tooLarge = Worlds.submission("too large", 20, MemorySize.ofGiB(30));
    Arrival never =
        new Arrival(
            Duration.ZERO,
            new Submission("never", "never", MemorySize.ofGiB(30), tooLarge.predictions()),
            Truth.of(
                Phase.of(
                    Duration.ofSeconds(10), new Phase.Load("never", 20), MemorySize.ofGiB(30))));

    Totals totals = run(Worlds.gpus(1, Worlds.FIFTH), never, Worlds.job("small", 10, 100, 20, 2));

    assertThat(ended).extracting(job -> job.submission().name()).contains("small");
    assertThat(totals.finished() + totals.failed() + totals.unplaced()).isEqualTo(2);
  }

  @Test
  void aJobWithoutPredictionsHoldsAWholeGpu() {
    Submission known = Worlds.submission("known", 20, MemorySize.ofGiB(2));
    Arrival unknown =
        new Arrival(
            Duration.ZERO,
            new Submission("unknown", "unknown", known.requestedMemory(), Map.of()),
            Truth.of(
                Phase.of(Duration.ofMinutes(5), new Phase.Load("u", 20), known.requestedMemory())));

    run(Worlds.gpus(1, Worlds.FIFTH), unknown, Worlds.job("known", 10, 100, 20, 2));

    assertThat(ended("known").waited()).isEqualTo(Duration.ofSeconds(290));
  }

  /**
   * 6 GiB are predicted of jobs that grow to 20: the second fails, and its model's estimate rises.
   */
  @Test
  void aJobThatRanOutOfMemoryComesBackOnARaisedEstimate() {
    Submission predicted = Worlds.submission("grows", 20, MemorySize.ofGiB(6));
    Phase growing =
        new Phase(
            Duration.ofSeconds(400),
            new Phase.Load("grows", 20),
            MemorySize.ofGiB(1),
            MemorySize.ofGiB(20));
    List<Arrival> jobs = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      jobs.add(
          new Arrival(
              Duration.ofSeconds(i),
              new Submission("job-" + i, "grows", MemorySize.ofGiB(20), predicted.predictions()),
              Truth.of(growing)));
    }

    Totals totals = run(Worlds.gpus(1, Worlds.FIFTH), jobs.toArray(Arrival[]::new));

    assertThat(totals.outOfMemoryKills()).isBetween(1L, 5L);
    assertThat(totals.finished()).isEqualTo(2);
  }

  /** The third may not share with the first, which the second may: it is not granted before. */
  @Test
  void jobsThatMayNotShareAreNeverTogether() {
    WorldSettings settings =
        Worlds.gpus(1, Worlds.FIFTH).withMayShare((one, two) -> one.equals("b") || two.equals("b"));

    run(
        settings,
        Worlds.job("a", 0, 200, 20, 2),
        Worlds.job("b", 1, 50, 20, 2),
        Worlds.job("c", 2, 10, 20, 2));

    assertThat(ended("b").waited()).isZero();
    assertThat(ended("c").ended()).isGreaterThan(ended("a").ended());
  }
}
