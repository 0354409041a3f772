package dev.cotenant.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import dev.cotenant.service.FaultyProxy.State;
import dev.cotenant.service.store.TestDatabases;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Faults of everything that the packaged service stands on, one after the other and in pairs, under
 * a steady mix of calls: nobody gets an internal error, reviews and predictions are answered
 * without database, metrics, names and disk, what was stored stays stored, and afterwards every
 * call succeeds. One service has PostgreSQL, another one the embedded database.
 *
 * <p>{@code -Dcotenant.chaos.seconds=1800} sets how long, {@code -Dcotenant.chaos.seed} which
 * faults in which order.
 */
class ServiceChaosIT {
  private static final long SECONDS = Long.getLong("cotenant.chaos.seconds", 8);
  private static final long SEED = Long.getLong("cotenant.chaos.seed", 1);
  private static final Duration PAUSE = Duration.ofMillis(50);

  /** Who takes longer hangs, also on a busy machine. */
  private static final Duration RECOVERY = Duration.ofMinutes(5);

  /** Of a heap of 256 MiB, so that the old generation is all but full. */
  private static final long TAKEN = 100L << 20;

  /** Calls that need neither database nor metrics. */
  private static final List<String> FROM_MEMORY = List.of("review", "prediction");

  @TempDir private Path folder;

  private static final List<Fault> FAULTS =
      List.of(
          new Fault(
              "database hangs",
              Spares.MEMORY,
              one -> database(one, State.DROPPED),
              ServiceChaosIT::mend),
          new Fault(
              "database cut off",
              Spares.MEMORY,
              one -> database(one, State.CUT),
              ServiceChaosIT::mend),
          new Fault(
              "database slow",
              Spares.MEMORY,
              one -> database(one, State.DELAYED),
              ServiceChaosIT::mend),
          new Fault(
              "metrics hang",
              Spares.MEMORY,
              one -> one.metrics.set(State.DROPPED),
              ServiceChaosIT::mend),
          new Fault(
              "metrics cut off",
              Spares.MEMORY,
              one -> one.metrics.set(State.CUT),
              ServiceChaosIT::mend),
          new Fault(
              "metrics slow",
              Spares.MEMORY,
              one -> one.metrics.set(State.DELAYED),
              ServiceChaosIT::mend),
          new Fault("no names", Spares.MEMORY, one -> one.names(false), one -> one.names(true)),
          new Fault(
              "disk full",
              Spares.MEMORY,
              one -> one.limit("--fsize", "4096"),
              one -> one.limit("--fsize", "unlimited")),
          new Fault("disk slow", Spares.MEMORY, ChaosService::slowDisk, ChaosService::letBe),
          new Fault("certificate rotates", Spares.MEMORY, ChaosService::renew, _ -> {}),
          new Fault(
              "certificate expires", Spares.MEMORY, ServiceChaosIT::expire, ChaosService::renew),
          new Fault(
              "certificate broken",
              Spares.MEMORY,
              one -> one.certificate.write("none", "none"),
              ChaosService::renew),
          new Fault(
              "no descriptors",
              Spares.NOTHING,
              one -> one.limit("--nofile", String.valueOf(one.descriptors())),
              one -> one.limit("--nofile", "4096")),
          new Fault("no memory", Spares.NOTHING, one -> one.take(TAKEN), ChaosService::letBe));

  /** What is answered nevertheless. */
  private enum Spares {
    MEMORY,
    NOTHING
  }

  /** Does something to a service. */
  @FunctionalInterface
  private interface Deed {
    void to(ChaosService service) throws IOException, InterruptedException;
  }

  /** What goes wrong, and how it ends. */
  private record Fault(String name, Spares spares, Deed begin, Deed end) {}

  /** What came of a fault, or of a pair. */
  private record Outcome(int times, int calls, int failed, int restarts, long longestMillis) {
    Outcome and(Outcome other) {
      return new Outcome(
          times + other.times,
          calls + other.calls,
          failed + other.failed,
          restarts + other.restarts,
          Math.max(longestMillis, other.longestMillis));
    }
  }

  private static void database(ChaosService service, State state) {
    service.database.ifPresent(proxy -> proxy.set(state));
  }

  private static void mend(ChaosService service) {
    database(service, State.WHOLE);
    service.metrics.set(State.WHOLE);
  }

  /** It ends within seconds, while it is served. */
  private static void expire(ChaosService service) {
    service.put(service.certificate.make("short", "EC", "-startdate", "-86398S", "-validity", "1"));
  }

  @Test
  void faultsAreSurvivedAndForgotten() throws Exception {
    Random random = new Random(SEED);
    Map<String, Outcome> outcomes = new TreeMap<>();
    try (ChaosService embedded = new ChaosService(folder.resolve("one"), Optional.empty());
        ChaosService postgres =
            new ChaosService(folder.resolve("two"), Optional.of(TestDatabases.postgres()))) {
      List<ChaosService> services = List.of(embedded, postgres);
      recover(services);
      long until = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
      while (System.nanoTime() < until) {
        for (List<Fault> faults : FaultRounds.next(FAULTS, random)) {
          if (System.nanoTime() < until) {
            String name = faults.size() == 1 ? faults.getFirst().name() : "pairs";
            outcomes.merge(name, suffer(services, faults, random), Outcome::and);
          }
        }
      }
    }
    print(outcomes);
    assertThat(outcomes).isNotEmpty();
  }

  private static void print(Map<String, Outcome> outcomes) {
    System.out.printf(
        "%-20s %6s %8s %8s %9s %20s%n",
        "fault", "times", "calls", "failed", "restarts", "longest recovery, ms");
    outcomes.forEach((name, outcome) ->
        System.out.printf(
            "%-20s %6d %8d %8d %9d %20d%n",
            name,
            outcome.times(),
            outcome.calls(),
            outcome.failed(),
            outcome.restarts(),
            outcome.longestMillis()));
  }

  private static Outcome suffer(List<ChaosService> services, List<Fault> faults, Random random)
      throws IOException, InterruptedException, IllegalConnectorArgumentsException {
    int calls = services.stream().mapToInt(ChaosService::calls).sum();
    int restarts = services.stream().mapToInt(ChaosService::restarts).sum();
    for (Fault fault : faults) {
      for (ChaosService service : services) {
        fault.begin.to(service);
      }
    }
    int failed =
        load(services, faults, Duration.ofMillis(500 + random.nextInt(SECONDS > 60 ? 8_000 : 500)));
    for (Fault fault : faults) {
      for (ChaosService service : services) {
        fault.end.to(service);
      }
    }
    long begin = System.nanoTime();
    recover(services);
    return new Outcome(
        1,
        services.stream().mapToInt(ChaosService::calls).sum() - calls,
        failed,
        services.stream().mapToInt(ChaosService::restarts).sum() - restarts,
        Duration.ofNanos(System.nanoTime() - begin).toMillis());
  }

  private static int load(List<ChaosService> services, List<Fault> faults, Duration time)
      throws IOException, InterruptedException {
    boolean isSpared = faults.stream().allMatch(fault -> fault.spares() == Spares.MEMORY);
    int failed = 0;
    services.forEach(ChaosService::callersAreNew);
    for (long end = System.nanoTime() + time.toNanos(); System.nanoTime() < end; ) {
      for (ChaosService service : services) {
        Map<String, Integer> statuses = service.hasEnded() ? Map.of() : service.round();
        failed +=
            (int) statuses.values().stream().filter(status -> status >= 300 || status == 0).count();
        if (isSpared) {
          assertThat(service.hasEnded()).as(service.output()).isFalse();
          FROM_MEMORY.forEach(
              what -> assertThat(statuses.get(what)).as("%s amid %s", what, faults).isEqualTo(200));
        }
      }
      Thread.sleep(PAUSE);
    }
    return failed;
  }

  /** A service that ended for want of memory is started again; the others do not end. */
  private static void recover(List<ChaosService> services)
      throws IOException, InterruptedException, IllegalConnectorArgumentsException {
    long until = System.nanoTime() + RECOVERY.toNanos();
    for (ChaosService service : services) {
      if (service.hasEnded()) {
        assertThat(service.exitCode()).as(service.output()).isEqualTo(3);
        service.restart();
      }
      service.callersAreNew();
      Map<String, Integer> last = service.round();
      while (!last.values().stream().allMatch(status -> status == 200 || status == 201)) {
        assertThat(System.nanoTime()).as("no recovery: %s", last).isLessThan(until);
        Thread.sleep(PAUSE);
        last = service.round();
      }
      assertThat(service.lost()).as("models that were stored").isEmpty();
    }
  }
}
