package dev.cotenant.admission.gate.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EngineStartsTest {
  private static final String GPU = "GPU-1";
  private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");
  private static final EngineStarts.Rules RULES = EngineStarts.Rules.DEFAULT;
  private static final int RUNS = 1_000;

  private final EngineStarts starts = new EngineStarts(RULES);

  private static Instant at(long second) {
    return EPOCH.plusSeconds(second);
  }

  private static MemorySize gib(long amount) {
    return MemorySize.ofGiB(amount);
  }

  private static EngineStarts.Server server(@Nullable Instant startedAt) {
    return server(startedAt, MemorySize.ZERO);
  }

  private static EngineStarts.Server server(@Nullable Instant startedAt, MemorySize others) {
    return new EngineStarts.Server("uid-1", "team-a/llama", at(0), startedAt, gib(10), others);
  }

  private boolean mayStart(EngineStarts.Server server, long second) {
    return starts.unsettled(GPU, List.of(server), at(second)).isEmpty();
  }

  @Test
  void waitsUntilSamplesOfAWindowAgree() {
    EngineStarts.Server server = server(at(10));
    for (long second = 0; second <= 200; second += 10) {
      long used = second < 20 ? 0 : Math.min(10, (second - 10) / 10);
      starts.sampled(GPU, at(second), gib(used), List.of(server));
      boolean settled = second >= 110 + 60;
      assertThat(mayStart(server, second)).as("after %d s", second).isEqualTo(settled);
    }
  }

  @Test
  void flatMemoryOfAServerThatStillLoadsHasNotSettled() {
    EngineStarts.Server server = server(at(10));
    for (long second = 0; second <= 300; second += 10) {
      starts.sampled(GPU, at(second), gib(second < 20 ? 20 : 21), List.of(server));
      assertThat(mayStart(server, second)).isFalse();
    }
  }

  /** Samples of a slow exporter, of which two lie in a window at most. */
  @Test
  void rareSamplesSettleOverALongerWindow() {
    EngineStarts.Server server = server(at(10));
    for (long second = 0; second <= 300; second += 50) {
      starts.sampled(GPU, at(second), gib(second < 20 ? 0 : 10), List.of(server));
      assertThat(mayStart(server, second)).as("after %d s", second).isEqualTo(second >= 150);
    }
  }

  /** The kubelet reports the start late: samples of the run are not what was used before. */
  @Test
  void memoryThatWasTakenBeforeTheStartWasKnownIsItsOwn() {
    starts.sampled(GPU, at(0), gib(3), List.of(server(null)));
    starts.sampled(GPU, at(20), gib(13), List.of(server(null)));
    EngineStarts.Server server = server(at(10));
    for (long second = 40; second <= 80; second += 20) {
      starts.sampled(GPU, at(second), gib(13), List.of(server));
    }
    assertThat(mayStart(server, 80)).isTrue();
  }

  /** It has seen no sample before the start: what is in use may be of others. */
  @Test
  void aNewLeaderTakesMemoryOfOthersForNoneOfTheServer() {
    EngineStarts.Server loading = server(at(10), gib(20));
    for (long second = 20; second <= 300; second += 10) {
      starts.sampled(GPU, at(second), gib(21), List.of(loading));
      assertThat(mayStart(loading, second)).as("after %d s", second).isFalse();
    }
    for (long second = 310; second <= 380; second += 10) {
      starts.sampled(GPU, at(second), gib(30), List.of(loading));
    }
    assertThat(mayStart(loading, 380)).isTrue();
  }

  @Test
  void samplesShowAServerOnceTheyAreNewerThanWhatSaysThatItServes() {
    EngineStarts.Server server = server(at(10));
    starts.sampled(GPU, at(10), gib(0), List.of(server));
    starts.serves(server, at(40));
    starts.sampled(GPU, at(40), gib(5), List.of(server));
    assertThat(starts.isShown(server)).isFalse();
    starts.sampled(GPU, at(50), gib(10), List.of(server));
    assertThat(starts.isShown(server)).isTrue();
    starts.keepOnly(Set.of());
    assertThat(starts.isShown(server)).isFalse();
  }

  /** Nothing says what of its memory is in use after the longest wait. */
  @Test
  void samplesDoNotShowAServerThatIsNoLongerWaitedFor() {
    EngineStarts.Server server = server(at(10));
    long timeout = 10 + RULES.timeout().toSeconds();
    starts.sampled(GPU, at(timeout), gib(3), List.of(server));
    assertThat(mayStart(server, timeout)).isTrue();
    assertThat(starts.isShown(server)).isFalse();
  }

  @Test
  void aServerThatServesHasSettled() {
    EngineStarts.Server server = server(at(10));
    starts.serves(server(null), at(12));
    starts.serves(server, at(9));
    assertThat(mayStart(server, 12)).isFalse();
    starts.serves(server, at(12));
    assertThat(mayStart(server, 12)).isTrue();
  }

  @Test
  void aServerThatDoesNotStartIsWaitedForFromItsGrant() {
    EngineStarts.Server pulling = server(null);
    long timeout = RULES.timeout().toSeconds();

    assertThat(mayStart(pulling, timeout - 1)).isFalse();
    assertThat(mayStart(pulling, timeout)).isTrue();
    // Its containers start after all: its start is waited for.
    assertThat(mayStart(server(at(700)), 710)).isFalse();
    assertThat(mayStart(server(at(700)), 700 + timeout)).isTrue();
  }

  @Test
  void whatHasSettledStaysSettledUntilItEnds() {
    EngineStarts.Server server = server(at(0));
    for (long second = 0; second <= 120; second += 10) {
      starts.sampled(GPU, at(second), gib(second == 0 ? 0 : 10), List.of(server));
    }
    assertThat(mayStart(server, 120)).isTrue();

    starts.sampled(GPU, at(130), gib(2), List.of(server));

    assertThat(mayStart(server, 130)).isTrue();
    starts.keepOnly(Set.of());
    assertThat(mayStart(server, 130)).isFalse();
  }

  @Test
  void theReasonHasTheNumbers() {
    EngineStarts.Server server = server(at(10));
    starts.sampled(GPU, at(10), gib(1), List.of(server));
    starts.sampled(GPU, at(40), gib(4), List.of(server));

    Reason reason = new Reason.EngineStarting(GPU, "n1", starts.reason(GPU, server, at(44)));
    assertThat(reason.sentence())
        .isEqualTo(
            "GPU-1 on n1: server team-a/llama started 34 s ago, and its memory has not settled"
                + " (samples of the last 60 s differ by 3 GiB); waits for at most 600 s");
  }

  /** Takes its memory in steps after a random time, and must not meet another that does. */
  private record FakeServer(
      String key, Instant grantedAt, Instant startsAt, Instant readyAt, long bytes) {
    static FakeServer granted(int number, Instant now, Random random) {
      Instant starts = now.plusSeconds(random.nextInt(200));
      return new FakeServer(
          "uid-" + number,
          now,
          starts,
          starts.plusSeconds(20 + random.nextInt(280)),
          gib(4 + random.nextInt(12)).bytes());
    }

    long used(Instant now) {
      double since = Duration.between(startsAt, now).toSeconds();
      double whole = Duration.between(startsAt, readyAt).toSeconds();
      return (long) (bytes * Math.clamp(since / whole, 0, 1));
    }

    boolean isStarting(Instant now) {
      return !now.isBefore(startsAt) && now.isBefore(readyAt);
    }

    EngineStarts.Server seen(Instant now, long othersBytes) {
      return new EngineStarts.Server(
          key,
          "team-a/" + key,
          grantedAt,
          now.isBefore(startsAt) ? null : startsAt,
          MemorySize.ofBytes(bytes),
          MemorySize.ofBytes(othersBytes));
    }
  }

  /**
   * Each ends as soon as one of the signs says so; where none does, after the timeout. In every
   * second run leaders change, of which each begins without samples.
   */
  @Test
  void aThousandRandomInterleavingsStartOneServerAfterTheOther() {
    for (int run = 0; run < RUNS; run++) {
      Outcome outcome = interleaving(new Random(run), true);
      assertThat(outcome.failedStarts()).as("failed starts of run %d", run).isZero();
      assertThat(outcome.granted()).as("servers of run %d", run).isEqualTo(outcome.wanted());
    }
  }

  /** The same engines fail where nothing orders their starts. */
  @Test
  void withoutAnOrderMostOfThemFail() {
    long failed =
        IntStream.range(0, RUNS)
            .filter(run -> interleaving(new Random(run), false).failedStarts() > 0)
            .count();
    assertThat(failed).isGreaterThan(RUNS / 2);
  }

  private record Outcome(int wanted, int granted, int failedStarts) {}

  /** Grants servers as soon as the order lets them start. */
  private static Outcome interleaving(Random random, boolean inOrder) {
    EngineStarts starts = new EngineStarts(RULES);
    List<FakeServer> servers = new ArrayList<>();
    int wanted = 2 + random.nextInt(4);
    int sampleEvery = 5 + random.nextInt(90);
    int cycleEvery = 1 + random.nextInt(7);
    int reportedAfter = random.nextInt(15);
    boolean exportsMetrics = random.nextBoolean();
    boolean hasNoisyNeighbour = random.nextInt(3) == 0;
    long job = gib(random.nextInt(30)).bytes(); // on the GPU all along, below its bound
    int newLeaderEvery = random.nextBoolean() ? 6_000 : 50 + random.nextInt(500);
    int failed = 0;
    for (long second = 0; second < 6_000; second++) {
      Instant now = at(second);
      Instant known = now.minusSeconds(reportedAfter);
      long all = job + gib(1).bytes() + servers.stream().mapToLong(FakeServer::bytes).sum();
      List<EngineStarts.Server> seen =
          servers.stream().map(one -> one.seen(known, all - one.bytes())).toList();
      if (second % newLeaderEvery == newLeaderEvery - 1) {
        starts = new EngineStarts(RULES);
      }
      if (second % sampleEvery == 0) {
        long used = servers.stream().mapToLong(server -> server.used(now)).sum();
        long others = hasNoisyNeighbour ? gib(1 + random.nextInt(4)).bytes() : 0;
        starts.sampled(GPU, now, MemorySize.ofBytes(used + others + job), seen);
        for (int i = 0; exportsMetrics && i < servers.size(); i++) {
          if (!now.isBefore(servers.get(i).readyAt())) {
            starts.serves(seen.get(i), now);
          }
        }
      }
      if (second % cycleEvery == 0
          && servers.size() < wanted
          && (!inOrder || starts.unsettled(GPU, seen, now).isEmpty())) {
        servers.add(FakeServer.granted(servers.size(), now, random));
      }
      failed += servers.stream().filter(server -> server.isStarting(now)).count() > 1 ? 1 : 0;
    }
    return new Outcome(wanted, servers.size(), failed);
  }
}
