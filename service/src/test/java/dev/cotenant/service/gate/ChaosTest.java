package dev.cotenant.service.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.service.FaultRounds;
import dev.cotenant.service.FaultyProxy.State;
import dev.cotenant.service.gate.ChaosWorld.Member;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Faults of everything that the gate stands on, one after the other and in pairs, while pods come
 * and go and callers reserve: at no moment a GPU has two pods, or a node more pods and reservations
 * than GPUs, no replica ends, afterwards every pod gets what it waits for, and one order explains
 * what everybody was answered.
 *
 * <p>{@code -Dcotenant.chaos.seconds=1800} sets how long, {@code -Dcotenant.chaos.seed} which
 * faults in which order; what they meet is up to the threads.
 */
class ChaosTest {
  private static final long SECONDS = Long.getLong("cotenant.chaos.seconds", 8);
  private static final long SEED = Long.getLong("cotenant.chaos.seed", 1);
  private static final Duration STEP = Duration.ofMillis(40);
  private static final int STEPS_PER_SECOND = 25;

  /** Who takes longer hangs, also on a busy machine. */
  private static final Duration RECOVERY = Duration.ofMinutes(5);

  @TempDir private Path folder;

  private static final List<Fault> FAULTS =
      List.of(
          new Fault(
              "api server errors", world -> world.failing(0.5, 500, 503, 429), ChaosWorld::whole),
          new Fault("api server forbids", world -> world.failing(0.8, 403), ChaosWorld::whole),
          new Fault("lease lost", ChaosWorld::refusingTheLease, ChaosWorld::whole),
          new Fault(
              "watches end",
              world -> {
                world.cluster.forget();
                world.cluster.endWatches();
              },
              _ -> {}),
          new Fault("one cut off", world -> Fault.set(Fault.any(world), State.CUT), Fault::mend),
          new Fault(
              "all cut off",
              world -> world.members.forEach(one -> Fault.set(one, State.CUT)),
              Fault::mend),
          new Fault(
              "leader unheard",
              world -> Fault.set(Fault.leader(world), State.DROPPED),
              Fault::mend),
          new Fault(
              "slow network",
              world -> world.members.forEach(one -> Fault.set(one, State.DELAYED)),
              Fault::mend),
          new Fault(
              "bytes twice",
              world -> world.members.forEach(one -> Fault.set(one, State.DUPLICATED)),
              Fault::mend),
          new Fault(
              "bytes reordered",
              world -> world.members.forEach(one -> Fault.set(one, State.REORDERED)),
              Fault::mend),
          new Fault("no metrics", world -> world.measured = false, world -> world.measured = true),
          new Fault("requests twice", world -> world.repeating(0.3), ChaosWorld::whole),
          new Fault("requests reordered", world -> world.reordering(0.3), ChaosWorld::whole),
          new Fault(
              "clock ahead", world -> Fault.move(world, Fault.any(world), 10), Fault::together),
          new Fault(
              "clock behind",
              world -> Fault.move(world, Fault.leader(world), -10),
              Fault::together),
          new Fault(
              "clocks apart",
              world -> {
                Fault.move(world, world.members.getFirst(), 10);
                Fault.move(world, world.members.getLast(), -10);
              },
              Fault::together),
          new Fault(
              "clock drifts",
              world -> {
                world.reservations.clocksMove();
                Fault.any(world).drift = 0.02;
              },
              Fault::together));

  /** What goes wrong, and how it ends. */
  private record Fault(String name, Consumer<ChaosWorld> begin, Consumer<ChaosWorld> end) {
    private static void set(Member member, State state) {
      member.network.set(state);
    }

    private static void mend(ChaosWorld world) {
      world.members.forEach(one -> Fault.set(one, State.WHOLE));
    }

    private static void move(ChaosWorld world, Member member, long minutes) {
      world.reservations.clocksMove();
      member.ahead = Duration.ofMinutes(minutes);
    }

    private static void together(ChaosWorld world) {
      for (Member one : world.members) {
        one.ahead = Duration.ZERO;
        one.drift = 0;
      }
    }

    private static Member any(ChaosWorld world) {
      return world.members.get(world.random.nextInt(world.members.size()));
    }

    private static Member leader(ChaosWorld world) {
      return world.members.stream().filter(Member::leads).findFirst().orElseGet(() -> any(world));
    }
  }

  /** What came of a fault, or of a pair. */
  private record Outcome(int times, int granted, int reserved, long longestMillis) {
    Outcome and(Outcome other) {
      return new Outcome(
          times + other.times,
          granted + other.granted,
          reserved + other.reserved,
          Math.max(longestMillis, other.longestMillis));
    }
  }

  @Test
  void faultsOverGrantNothingAndEnd() throws Exception {
    Random random = new Random(SEED);
    Map<String, Outcome> outcomes = new TreeMap<>();
    try (ChaosWorld world = new ChaosWorld(folder, SEED)) {
      recover(world); // somebody leads
      long until = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
      while (isOn(world, until)) {
        for (List<Fault> faults : FaultRounds.next(FAULTS, random)) {
          if (isOn(world, until)) {
            String name = faults.size() == 1 ? faults.getFirst().name() : "pairs";
            outcomes.merge(name, suffer(world, faults), Outcome::and);
          }
        }
      }
    }
    System.out.printf(
        "%-20s %6s %8s %9s %20s%n",
        "fault", "times", "granted", "reserved", "longest recovery, ms");
    outcomes.forEach((name, outcome) ->
        System.out.printf(
            "%-20s %6d %8d %9d %20d%n",
            name, outcome.times(), outcome.granted(), outcome.reserved(), outcome.longestMillis()));
  }

  /** Also on a busy machine pods are granted GPUs amid faults. */
  private static boolean isOn(ChaosWorld world, long until) {
    return System.nanoTime() < until || world.granted() == 0;
  }

  private static Outcome suffer(ChaosWorld world, List<Fault> faults) throws InterruptedException {
    int before = world.granted();
    world.beginHistory();
    world.faults = faults.stream().map(Fault::name).toList().toString();
    faults.forEach(fault -> fault.begin.accept(world));
    load(world, Duration.ofMillis(500 + world.random.nextInt(SECONDS > 60 ? 8_000 : 1_000)));
    faults.forEach(fault -> fault.end.accept(world));
    long begin = System.nanoTime();
    recover(world);
    world.verifyHistory();
    return new Outcome(
        1,
        world.granted() - before,
        world.reservations.answered(),
        Duration.ofNanos(System.nanoTime() - begin).toMillis());
  }

  private static void load(ChaosWorld world, Duration time) throws InterruptedException {
    long steps = time.dividedBy(STEP);
    for (long i = 0; i < steps; i++) {
      world.step();
      if (i % STEPS_PER_SECOND == STEPS_PER_SECOND - 1) {
        world.second();
      }
      Thread.sleep(STEP);
    }
  }

  private static void recover(ChaosWorld world) throws InterruptedException {
    long until = System.nanoTime() + RECOVERY.toNanos();
    world.step();
    for (int i = 1; !world.isServed(); i++) {
      if (i % STEPS_PER_SECOND == 0) {
        world.second();
      }
      assertThat(System.nanoTime())
          .as("nobody serves %s", world.cluster.list("pods"))
          .isLessThan(until);
      Thread.sleep(STEP);
    }
  }
}
