package dev.cotenant.simulator.world;

import static dev.cotenant.simulator.world.Worlds.FIFTH;
import static dev.cotenant.simulator.world.Worlds.gpus;
import static dev.cotenant.simulator.world.Worlds.job;
import static dev.cotenant.simulator.world.Worlds.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Worked examples; all figures are computed by hand. */
class WorldTest {
  private final Map<String, Double> endedAt = new LinkedHashMap<>();

  /** Any job on the first GPU with fewer than so many. */
  private static Policy upTo(int tenants) {
    return new FakePolicy(QueueRule.FIFO_WITH_BACKFILL, tenants);
  }

  private record FakePolicy(QueueRule queue, int tenants) implements Policy {
    @Override
    public Placement place(JobView job, View view) {
      return view.gpus().stream()
          .filter(gpu -> gpu.isOpen() && gpu.tenants().size() < tenants)
          .findFirst()
          .map(Placement::on)
          .orElse(Placement.waiting());
    }
  }

  private Totals run(WorldSettings settings, Policy policy, Arrival... arrivals) {
    return World.run(
        settings,
        List.of(arrivals).iterator(),
        policy,
        job -> endedAt.put(job.submission().name(), job.ended().toNanos() / 1e9));
  }

  /** a runs 40 s alone, then both at 0.8: b ends its 40 s at 90, a has done 80 and ends at 110. */
  @Test
  void stretchesWorkWhileANeighbourIsThereAndResumesThePaceAfterwards() {
    Totals totals = run(gpus(1, FIFTH), upTo(2), job("a", 0, 100, 50, 1), job("b", 40, 40, 30, 1));

    assertThat(endedAt).containsExactly(Map.entry("b", 90.0), Map.entry("a", 110.0));
    assertThat(totals.gpuHours()).isCloseTo(110 / 3600.0, within(1e-9));
    // 40 s and 20 s at 50 %, 50 s at 80 %; a watt line from 100 to 300.
    assertThat(totals.meanUtilizationPercent())
        .isCloseTo((60 * 50 + 50 * 80) / 110.0, within(1e-9));
    assertThat(totals.energyJoules()).isCloseTo(60 * 200 + 50 * 260, within(1e-6));
    // Both are slowed by 1.25 > 1.15 for 50 s of 110 + 50 s of jobs.
    assertThat(totals.harmedPercent()).isCloseTo(100 * 100 / 160.0, within(1e-9));
  }

  /**
   * 100 W idle, 2 W a percent: two jobs of 60 % ask for 340 W, 40 W above the cap of 300 W, which
   * costs 40 · 0.5 % of the clock. Both do 80 s at 0.8 · 0.8 and draw 300 W; then b does 20 s alone
   * at 220 W.
   */
  @Test
  void slowsTheClockDownWhereDemandExceedsThePowerCap() {
    GpuKind.Power power = new GpuKind.Power(100, 300, new GpuKind.Cap(300, 0.005));
    GpuKind kind = new GpuKind(Worlds.DEVICE, MemorySize.ofGiB(24), power);
    WorldSettings settings =
        WorldSettings.of(List.of(new WorldSettings.Machine("node", kind, 1)), FIFTH);

    Totals totals = run(settings, upTo(2), job("a", 0, 80, 60, 1), job("b", 0, 100, 60, 1));

    assertThat(endedAt.get("a")).isCloseTo(80 / 0.64, within(1e-6));
    assertThat(endedAt.get("b")).isCloseTo(80 / 0.64 + 20, within(1e-6));
    assertThat(totals.energyJoules()).isCloseTo(125 * 300 + 20 * 220, within(1e-6));
  }

  @Test
  void refusesACapBelowTheIdlePower() {
    assertThatThrownBy(() -> new GpuKind.Power(100, 300, new GpuKind.Cap(90, 0)))
        .hasMessageContaining("90");
  }

  @Test
  void aJobWaitsWhileNoGpuTakesIt() {
    Totals totals = run(gpus(1, FIFTH), upTo(1), job("a", 0, 10, 50, 1), job("b", 4, 10, 50, 1));

    assertThat(endedAt).containsExactly(Map.entry("a", 10.0), Map.entry("b", 20.0));
    assertThat(totals.meanWaitSeconds()).isEqualTo(3);
    assertThat(totals.mostWaiting()).isEqualTo(1);
  }

  /**
   * Both ramp from 0 to 16 GiB over 100 s of work; at speed 0.8 the sum passes 24 GiB when each has
   * done 75 s, after 93.75 s. b dies, a does 25 s alone until 118.75 s, then b all of its 100 s.
   */
  @Test
  void aJobThatRunsOutOfMemoryLosesItsWorkAndStartsAgain() {
    List<Arrival> arrivals = new ArrayList<>();
    for (String name : List.of("a", "b")) {
      Phase ramp =
          new Phase(seconds(100), new Phase.Load(name, 40), MemorySize.ZERO, MemorySize.ofGiB(16));
      arrivals.add(
          new Arrival(
              Duration.ZERO, Worlds.submission(name, 40, MemorySize.ofGiB(16)), Truth.of(ramp)));
    }
    Policy onceTogether =
        new Policy() {
          @Override
          public Placement place(JobView job, View view) {
            GpuView gpu = view.gpus().getFirst();
            boolean fits = gpu.tenants().isEmpty() || job.outOfMemoryKills() == 0;
            return fits ? Placement.on(gpu) : Placement.waiting();
          }
        };

    Totals totals = run(gpus(1, FIFTH), onceTogether, arrivals.toArray(Arrival[]::new));

    assertThat(totals.outOfMemoryKills()).isEqualTo(1);
    assertThat(endedAt.get("a")).isCloseTo(118.75, within(1e-5));
    assertThat(endedAt.get("b")).isCloseTo(218.75, within(1e-5));
    assertThat(totals.lostWorkSeconds()).isCloseTo(75, within(1e-5));
    assertThat(totals.progressedSeconds()).isCloseTo(275, within(1e-5));
  }

  @Test
  void memoryThatEndsExactlyAtTheCapacityFits() {
    Totals totals = run(gpus(1, FIFTH), upTo(2), job("a", 0, 10, 50, 12), job("b", 0, 10, 50, 12));

    assertThat(totals.outOfMemoryKills()).isZero();
    assertThat(totals.finished()).isEqualTo(2);
  }

  @Test
  void aStepOfMemoryKillsTheNewcomerAtItsInstant() {
    Phase.Load load = new Phase.Load("b", 10);
    Truth step =
        Truth.of(
            List.of(
                Phase.of(seconds(8), load, MemorySize.ofGiB(1)),
                Phase.of(seconds(8), load, MemorySize.ofGiB(20))));
    Arrival stepping =
        new Arrival(Duration.ZERO, Worlds.submission("b", 10, MemorySize.ofGiB(20)), step);

    Totals totals = run(gpus(1, FIFTH), upTo(2), job("a", 0, 24, 50, 8), stepping);

    // At 10 s b steps and dies; a has done 8 s, does 10 s alone, then 6 s beside b at 0.8: 27.5 s.
    // b starts again at 20 s, does 6 s beside a, 2 s alone up to its step at 29.5 s, 8 s after it.
    assertThat(totals.outOfMemoryKills()).isEqualTo(1);
    assertThat(endedAt.get("a")).isCloseTo(27.5, within(1e-6));
    assertThat(endedAt.get("b")).isCloseTo(37.5, within(1e-6));
  }

  @Test
  void aJobLargerThanTheGpuFailsForGood() {
    Totals totals = run(gpus(1, FIFTH), upTo(2), job("large", 0, 10, 50, 25));

    assertThat(totals.failed()).isEqualTo(1);
    assertThat(totals.finished()).isZero();
    assertThat(totals.outOfMemoryKills()).isEqualTo(1);
  }

  /** b is measured alone for 60 s, moves beside a, and loses its minute. */
  @Test
  void profilesAJobAloneAndMovesIt() {
    Policy profiling =
        new Policy() {
          @Override
          public Placement place(JobView job, View view) {
            return Placement.profiled(view.idle().first(), seconds(60));
          }

          @Override
          public Review review(JobView job, View view) {
            JobView.Measured measured = job.measured().orElseThrow();
            assertThat(measured.alone()).isEqualTo(seconds(60));
            assertThat(measured.utilizationPercent()).isEqualTo(40);
            assertThat(measured.peakMemory()).isEqualTo(MemorySize.ofGiB(3));
            GpuView first = view.gpus().getFirst();
            return job.gpu().orElseThrow().equals(first)
                ? new Review.Stay(null)
                : new Review.Move(new Placement.Start(first, Placement.Access.OPEN, null));
          }
        };

    Totals totals = run(gpus(2, FIFTH), profiling, job("a", 0, 200, 40, 3), job("b", 0, 80, 40, 3));

    assertThat(totals.moves()).isEqualTo(1);
    // From 60 s on both at 0.8: b needs 100 s, a has 140 s left, of which 80 are done at 160 s.
    assertThat(endedAt.get("b")).isCloseTo(160, within(1e-6));
    assertThat(endedAt.get("a")).isCloseTo(220, within(1e-6));
    assertThat(totals.lostWorkSeconds()).isCloseTo(60, within(1e-6));
  }

  @Test
  void measuredSpeedIsRelativeToTheSpeedAlone() {
    List<Double> speeds = new ArrayList<>();
    Policy watching =
        new Policy() {
          @Override
          public Placement place(JobView job, View view) {
            GpuView gpu = view.gpus().getFirst();
            return new Placement.Start(gpu, Placement.Access.OPEN, seconds(5));
          }

          @Override
          public Review review(JobView job, View view) {
            speeds.add(job.measuredSpeed().orElseThrow());
            return new Review.Stay(null);
          }
        };
    Arrival[] both = {job("a", 0, 100, 40, 3), job("b", 1, 100, 40, 3)};

    run(gpus(1, FIFTH), watching, both);
    run(gpus(1, FIFTH).withSpeedNoise(0.03, 5), watching, both);
    run(gpus(1, FIFTH).withSpeedNoise(0.03, 5), watching, both);

    assertThat(speeds.subList(0, 2)).containsExactly(0.8, 0.8);
    assertThat(speeds.get(2)).isNotEqualTo(0.8).isCloseTo(0.8, within(0.1));
    assertThat(speeds.subList(4, 6)).isEqualTo(speeds.subList(2, 4));
  }

  /** Memory falls from 12 to 2 GiB; after half of the work 7 GiB are in use. */
  @Test
  void measuresThePeakOfMemoryThatFalls() {
    List<MemorySize> peaks = new ArrayList<>();
    Policy profiling =
        new Policy() {
          @Override
          public Placement place(JobView job, View view) {
            return Placement.profiled(view.idle().first(), seconds(50));
          }

          @Override
          public Review review(JobView job, View view) {
            peaks.add(job.measured().orElseThrow().peakMemory());
            return new Review.Stay(null);
          }
        };
    Phase falling =
        new Phase(seconds(100), new Phase.Load("a", 40), MemorySize.ofGiB(12), MemorySize.ofGiB(2));

    run(
        gpus(1, FIFTH),
        profiling,
        new Arrival(
            Duration.ZERO, Worlds.submission("a", 40, MemorySize.ofGiB(12)), Truth.of(falling)));

    assertThat(peaks).containsExactly(MemorySize.ofGiB(12));
  }

  /** The second job starts at the end of the first; the queue's period of 60 s adds no time. */
  @Test
  void aRunEndsWithItsLastJob() {
    QueueRule periodic = new QueueRule(QueueRule.Order.FIFO, seconds(60), 0);

    Totals totals =
        run(
            gpus(1, FIFTH),
            new FakePolicy(periodic, 1),
            job("a", 0, 50, 50, 1),
            job("b", 1, 5, 50, 1));

    assertThat(totals.makespanSeconds()).isEqualTo(55);
  }

  @Test
  void aJobThatFailsForGoodEndsARun() {
    Phase ramp =
        new Phase(seconds(50), new Phase.Load("a", 40), MemorySize.ZERO, MemorySize.ofGiB(48));
    Arrival large =
        new Arrival(
            Duration.ZERO, Worlds.submission("a", 40, MemorySize.ofGiB(48)), Truth.of(ramp));

    Totals totals = run(gpus(1, FIFTH), upTo(1), large);

    assertThat(totals.makespanSeconds()).isCloseTo(25, within(1e-6));
  }

  @Test
  void queuesByTheOrderOfThePolicy() {
    Arrival[] jobs = {
      job("first", 0, 10, 10, 1), job("small", 1, 10, 20, 2), job("large", 2, 10, 5, 4)
    };

    run(gpus(1, FIFTH), new FakePolicy(QueueRule.FIFO_WITH_BACKFILL, 1), jobs);
    assertThat(endedAt.keySet()).containsExactly("first", "small", "large");

    endedAt.clear();
    run(gpus(1, FIFTH), new FakePolicy(rule(QueueRule.Order.LARGEST_MEMORY_FIRST), 1), jobs);
    assertThat(endedAt.keySet()).containsExactly("first", "large", "small");

    endedAt.clear();
    run(gpus(1, FIFTH), new FakePolicy(rule(QueueRule.Order.LARGEST_UTILIZATION_FIRST), 1), jobs);
    assertThat(endedAt.keySet()).containsExactly("first", "small", "large");
  }

  private static QueueRule rule(QueueRule.Order order) {
    return new QueueRule(order, null);
  }

  /** Only jobs whose name is short fit; the long one arrives first. */
  @Test
  void backfillsPastAJobThatDoesNotFitOnlyWhereTheRuleSaysSo() {
    Arrival[] jobs = {job("long", 0, 10, 10, 1), job("b", 1, 10, 10, 1)};

    Totals strict =
        run(gpus(1, FIFTH), onlyShort(new QueueRule(QueueRule.Order.FIFO, null, 0)), jobs);
    assertThat(strict.finished()).isZero();
    assertThat(strict.unplaced()).isEqualTo(2);

    Totals backfilled = run(gpus(1, FIFTH), onlyShort(QueueRule.FIFO_WITH_BACKFILL), jobs);
    assertThat(backfilled.finished()).isEqualTo(1);
    assertThat(backfilled.unplaced()).isEqualTo(1);
  }

  @Test
  void aJobBlocksThoseBehindItOnceEnoughHaveSkippedIt() {
    QueueRule rule = new QueueRule(QueueRule.Order.FIFO, null, 2);
    Arrival[] jobs = {
      job("long", 0, 10, 10, 1),
      job("b", 1, 10, 10, 1),
      job("c", 2, 10, 10, 1),
      job("d", 3, 10, 10, 1)
    };

    Totals totals = run(gpus(1, FIFTH), onlyShort(rule), jobs);

    assertThat(endedAt.keySet()).containsExactly("b", "c");
    assertThat(totals.unplaced()).isEqualTo(2);
  }

  private static Policy onlyShort(QueueRule rule) {
    return new Policy() {
      @Override
      public QueueRule queue() {
        return rule;
      }

      @Override
      public Placement place(JobView job, View view) {
        boolean fits = job.submission().name().length() == 1 && !view.idle().isEmpty();
        return fits ? Placement.on(view.idle().first()) : Placement.waiting();
      }
    };
  }

  @Test
  void refusesAPlacementOnAClosedGpu() {
    Policy wrong =
        new Policy() {
          private @Nullable GpuView taken;

          @Override
          public Placement place(JobView job, View view) {
            if (taken == null) {
              taken = view.idle().first();
              return Placement.alone(taken);
            }
            return Placement.on(taken);
          }
        };

    assertThatThrownBy(() -> run(gpus(2, FIFTH), wrong, job("a", 0, 9, 9, 1), job("b", 1, 9, 9, 1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("b may not join");
  }

  /** What b's placement at 6 s sees: the newest five samples, 2 GiB from 1 s to 4 s. */
  @Test
  void storesSamplesOfUsedMemory() {
    List<Long> gibibytes = new ArrayList<>();
    Policy reading =
        new Policy() {
          @Override
          public Placement place(JobView job, View view) {
            GpuView gpu = view.gpus().getFirst();
            gibibytes.clear();
            gpu.usedMemorySeries()
                .samples()
                .forEach(sample -> gibibytes.add(sample.used().bytes() / MemorySize.GIB));
            return Placement.on(gpu);
          }
        };

    run(
        gpus(1, FIFTH).withHistory(new WorldSettings.History(seconds(1), 5)),
        reading,
        job("a", 1, 3, 9, 2),
        job("b", 6, 1, 9, 1));

    assertThat(gibibytes).containsExactly(2L, 2L, 2L, 0L, 0L);
  }
}
