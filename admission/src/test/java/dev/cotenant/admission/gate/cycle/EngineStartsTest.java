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
    return new EngineStarts.Server("uid-1", "team-a/llama", at(0), startedAt, gib(10));
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

    EngineStarts.Server seen(Instant now) {
      return new EngineStarts.Server(
          key,
          "team-a/" + key,
          grantedAt,
          now.isBefore(startsAt) ? null : startsAt,
          MemorySize.ofBytes(bytes));
    }
  }

  @Test
  void aThousandRandomInterleavingsStartOneServerAfterTheOther() {
    int granted = 0;
    for (int run = 0; run < RUNS; run++) {
      granted += interleaving(new Random(run));
    }
    assertThat(granted).isGreaterThan(2 * RUNS);
  }

  /** Grants servers as soon as the order lets them start; how many. */
  private static int interleaving(Random random) {
    EngineStarts starts = new EngineStarts(RULES);
    List<FakeServer> servers = new ArrayList<>();
    int wanted = 2 + random.nextInt(4);
    int sampleEvery = 5 + random.nextInt(16);
    int cycleEvery = 1 + random.nextInt(7);
    for (long second = 0; second < 3_600; second++) {
      Instant now = at(second);
      List<EngineStarts.Server> seen = servers.stream().map(one -> one.seen(now)).toList();
      if (second % sampleEvery == 0) {
        long used = servers.stream().mapToLong(server -> server.used(now)).sum();
        starts.sampled(GPU, now, MemorySize.ofBytes(used), seen);
      }
      if (second % cycleEvery == 0
          && servers.size() < wanted
          && starts.unsettled(GPU, seen, now).isEmpty()) {
        servers.add(FakeServer.granted(servers.size(), now, random));
      }
      if (servers.stream().filter(server -> server.isStarting(now)).count() > 1) {
        throw new AssertionError("two servers start at once in second " + second);
      }
    }
    return servers.size();
  }
}
