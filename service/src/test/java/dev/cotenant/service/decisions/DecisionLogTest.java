package dev.cotenant.service.decisions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.service.decisions.DecisionStore.Entry;
import dev.cotenant.service.decisions.DecisionStore.Stored;
import dev.cotenant.service.decisions.DecisionStore.Wanted;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DecisionLogTest {
  private static final Instant START = Instant.parse("2026-11-24T10:00:00Z");
  private static final Wanted ALL = new Wanted(null, null, null, Long.MAX_VALUE);

  private final Calls store = new Calls();
  private Instant now = START;
  private final DecisionLog log =
      new DecisionLog(store, DecisionLogTest::entry, Duration.ofDays(8), () -> now);

  private static Entry entry(DecisionRecord made) {
    return new Entry(made.at(), "team-a", made.pod().toString(), List.of("GPU-1"), "whole", "own");
  }

  /** A store that says what it was called with. */
  private static final class Calls implements DecisionStore {
    final List<Entry> entries = new ArrayList<>();
    final List<Instant> trims = new ArrayList<>();
    final CountDownLatch isCalled = new CountDownLatch(1);
    volatile @Nullable CountDownLatch hangs;
    boolean isDown;

    @Override
    public void add(List<Entry> more) {
      isCalled.countDown();
      CountDownLatch until = hangs;
      if (until != null) {
        try {
          until.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      if (isDown) {
        throw new StoreException("down", new IllegalStateException());
      }
      entries.addAll(more);
    }

    @Override
    public List<Stored> newest(Wanted wanted, int limit) {
      return entries.reversed().stream().limit(limit).map(one -> new Stored(1, one)).toList();
    }

    @Override
    public void trim(Instant before, int most) {
      trims.add(before);
    }
  }

  @Test
  void storesAtTheLatestWhatIsRead() {
    log.add(DecisionHistoryTest.decision(1));
    log.add(DecisionHistoryTest.decision(2));
    assertThat(store.entries).isEmpty();
    assertThat(log.newest(ALL, 5)).extracting(one -> one.entry().pod()).hasSize(2);
    log.flush();
    assertThat(store.entries).hasSize(2);
  }

  @Test
  void losesNothingWhileTheDatabaseIsDownForAWhile() {
    store.isDown = true;
    log.add(DecisionHistoryTest.decision(1));
    assertThatThrownBy(log::flush).isInstanceOf(StoreException.class);
    store.isDown = false;
    log.flush();
    assertThat(store.entries).hasSize(1);
  }

  @Test
  void dropsTheOldestBeyondABound() {
    store.isDown = true;
    for (int i = 0; i < DecisionLog.MAX_PENDING + 3; i++) {
      log.add(DecisionHistoryTest.decision(i));
    }
    store.isDown = false;
    log.flush();
    assertThat(store.entries).hasSize(DecisionLog.MAX_PENDING);
    assertThat(store.entries.getFirst().pod()).endsWith("pod-3");
  }

  @Test
  void takesDecisionsWhileTheDatabaseHangs() throws Exception {
    log.add(DecisionHistoryTest.decision(1));
    store.hangs = new CountDownLatch(1);
    Thread flushing = Thread.ofPlatform().start(log::flush);
    store.isCalled.await();
    log.add(DecisionHistoryTest.decision(2)); // would wait for ever
    store.hangs.countDown();
    flushing.join();
    assertThat(store.entries).hasSize(1);
    log.flush();
    assertThat(store.entries).hasSize(2);
  }

  @Test
  void leavesOutNamesThatNoPodHas() {
    DecisionRecord fine = DecisionHistoryTest.decision(1);
    log.add(DecisionHistoryTest.decision(2, new PodIdentity("team-a", "p".repeat(600), null)));
    log.add(DecisionHistoryTest.decision(3, new PodIdentity("team-a", "nul\0", null)));
    log.add(fine);
    log.flush();
    assertThat(store.entries).extracting(Entry::pod).containsExactly(fine.pod().toString());
  }

  @Test
  void deletesWhatIsTooMuchAfterManyDecisions() {
    log.flush();
    for (int i = 0; i < DecisionLog.MAX / 10 + 1; i++) {
      log.add(DecisionHistoryTest.decision(i));
      if (i % 1_000 == 0) {
        log.flush();
      }
    }
    log.flush();
    assertThat(store.trims).hasSize(2);
  }

  @Test
  void deletesWhatIsTooOldOnceAnHour() {
    log.flush();
    now = now.plus(Duration.ofMinutes(59));
    log.flush();
    now = now.plus(Duration.ofMinutes(2));
    log.flush();
    assertThat(store.trims)
        .containsExactly(START.minus(Duration.ofDays(8)), now.minus(Duration.ofDays(8)));
  }
}
