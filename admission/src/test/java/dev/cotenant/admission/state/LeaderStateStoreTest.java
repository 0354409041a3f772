package dev.cotenant.admission.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.state.FakeDocuments.Fate;
import dev.cotenant.admission.state.LeaderStateStore.Result;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LeaderStateStoreTest {
  private final FakeDocuments documents = new FakeDocuments();
  private final Deque<Fate> fates = new ArrayDeque<>();
  private final LeaderStateStore first =
      new LeaderStateStore(documents.seenWith(this::fate), "s", 1);
  private final LeaderStateStore second =
      new LeaderStateStore(documents.seenWith(() -> Fate.DONE), "s", 1);

  private Fate fate() {
    Fate next = fates.poll();
    return next == null ? Fate.DONE : next;
  }

  @Test
  void theNextTermFindsWhatWasKept() {
    assertThat(first.claim(1)).isEmpty();
    assertThat(first.put(1, "a", "1")).isEqualTo(new Result.Persisted());
    assertThat(first.put(1, "b", "2")).isEqualTo(new Result.Persisted());
    assertThat(first.remove(1, List.of("a", "x"))).isEqualTo(new Result.Persisted());

    assertThat(second.claim(2)).containsExactly(Map.entry("b", "2"));
  }

  @Test
  void nothingIsKeptForATermThatAnotherHasFollowed() {
    first.claim(1);
    second.claim(2);

    assertThat(first.put(1, "a", "1")).isInstanceOf(Result.Rejected.class);
    assertThat(documents.entries("s-0")).isEmpty();
    assertThatThrownBy(() -> first.claim(1)).isInstanceOf(NotClaimedException.class);
    assertThat(second.put(1, "a", "1")).as("of a term before").isInstanceOf(Result.Rejected.class);
  }

  @Test
  void noticesThatAnotherTermHasFollowed() {
    first.claim(1);
    assertThat(first.verifyTerm(1, "a")).isEqualTo(new Result.Persisted());
    documents.delete("s-0");
    assertThat(first.verifyTerm(1, "a"))
        .as("deleted by somebody")
        .isEqualTo(new Result.Persisted());
    second.claim(2);
    assertThat(first.verifyTerm(1, "a")).isEqualTo(new Result.Rejected("term 1 has ended"));
    assertThat(second.verifyTerm(2, "a")).isEqualTo(new Result.Persisted());
    second.close();
    assertThat(second.verifyTerm(2, "a")).isEqualTo(new Result.Rejected("term 2 has ended"));
  }

  @Test
  void doesNotKnowWhetherAnotherTermHasFollowedWhereItCannotLook() {
    Documents unreadable =
        new Documents() {
          private int reads;

          @Override
          public ReadResult read(String name) {
            return reads++ == 0 ? new ReadResult.Missing() : new ReadResult.Failed("timed out");
          }

          @Override
          public WriteOutcome write(String name, @Nullable String seen, Content content) {
            return new WriteOutcome.Done("v1");
          }
        };
    LeaderStateStore shelf = new LeaderStateStore(unreadable, "s", 1);
    shelf.claim(1);
    assertThat(shelf.verifyTerm(1, "a")).isEqualTo(new Result.Uncertain("s-0: timed out"));
  }

  /** As a network or a proxy may send it: the first is done, the second one is answered. */
  @Test
  void aWriteThatArrivedTwiceAndCannotBeReadAgainMayBeDone() {
    Documents twice =
        new Documents() {
          private final Documents all = documents.seenWith(() -> Fate.DONE);
          private int writes;

          @Override
          public ReadResult read(String name) {
            return writes < 2 ? all.read(name) : new ReadResult.Failed("timed out");
          }

          @Override
          public WriteOutcome write(String name, @Nullable String seen, Content content) {
            WriteOutcome first = all.write(name, seen, content);
            return writes++ == 0 ? first : all.write(name, seen, content);
          }
        };
    LeaderStateStore shelf = new LeaderStateStore(twice, "s", 1);
    shelf.claim(1);

    assertThat(shelf.put(1, "a", "1")).isEqualTo(new Result.Uncertain("s-0 cannot be read again"));
    assertThat(documents.entries("s-0")).containsOnlyKeys("a");
  }

  @Test
  void aWriteThatIsRefusedIsNotDoneWhateverBecameOfAnEarlierOne() {
    first.claim(1);
    fates.addAll(List.of(Fate.LOST, Fate.REFUSED));
    assertThat(first.put(1, "a", "1")).isEqualTo(new Result.Uncertain("s-0: lost"));
    documents.overwrite("s-0", 0, Map.of());
    fates.addAll(List.of(Fate.DONE, Fate.REFUSED));

    assertThat(first.put(1, "b", "2"))
        .as("a conflict, then refused")
        .isEqualTo(new Result.Rejected("s-0: forbidden"));
  }

  @Test
  void aWriteOfAnEarlierTermThatArrivesLateChangesNothing() {
    first.claim(1);
    fates.add(Fate.LATE);
    fates.add(Fate.REFUSED);
    assertThat(first.put(1, "a", "1")).isInstanceOf(Result.Uncertain.class);
    second.claim(2);
    documents.arrive();

    assertThat(documents.entries("s-0")).isEmpty();
    assertThat(second.put(2, "b", "2")).isEqualTo(new Result.Persisted());
  }

  @Test
  void aWriteWhoseAnswerWasLostIsFoundDone() {
    first.claim(1);
    fates.add(Fate.ANSWER_LOST);
    assertThat(first.put(1, "a", "1")).isEqualTo(new Result.Persisted());
    fates.add(Fate.LOST);
    assertThat(first.put(1, "b", "2")).isEqualTo(new Result.Persisted());
    assertThat(second.claim(2)).containsOnlyKeys("a", "b");
  }

  @Test
  void whatMayStillBeDoneIsRuledOutByTheNextWrite() {
    first.claim(1);
    fates.addAll(List.of(Fate.LATE, Fate.LATE, Fate.LATE, Fate.LATE));
    assertThat(first.put(1, "a", "1")).isInstanceOf(Result.Uncertain.class);
    assertThat(first.remove(1, List.of("a"))).isEqualTo(new Result.Persisted());
    documents.arrive();
    assertThat(second.claim(2)).isEmpty();
  }

  @Test
  void whatSomebodyElseDidToADocumentIsMadeGood() {
    first.claim(1);
    first.put(1, "a", "1");
    documents.overwrite("s-0", 0, Map.of("foreign", "x"));
    assertThat(first.put(1, "b", "2")).isEqualTo(new Result.Persisted());
    documents.delete("s-0");
    assertThat(first.put(1, "c", "3")).isEqualTo(new Result.Persisted());
    assertThat(second.claim(2)).containsOnlyKeys("a", "b", "c");
  }

  @Test
  void saysThatItIsFullBeforeTheServerDoes() {
    first.claim(1);
    assertThat(first.put(1, "a", "é".repeat(LeaderStateStore.MAX_BYTES / 2)))
        .isInstanceOfSatisfying(
            Result.Rejected.class, result -> assertThat(result.why()).contains("s-0 is full"));
    assertThat(first.put(1, "a", "1")).isEqualTo(new Result.Persisted());
  }

  @Test
  void takesNothingOverThatItCannotWrite() {
    fates.add(Fate.REFUSED);
    assertThatThrownBy(() -> first.claim(1)).hasMessage("s-0: forbidden");
    assertThat(first.put(1, "a", "1")).isInstanceOf(Result.Rejected.class);
    assertThat(first.claim(1)).isEmpty();
    first.close();
    assertThat(first.put(1, "a", "1")).isInstanceOf(Result.Rejected.class);
  }

  @Test
  void closesWithoutWaitingForAWriteThatIsUnderWay() {
    List<Runnable> meanwhile = new ArrayList<>();
    LeaderStateStore shelf =
        new LeaderStateStore(
            documents.seenWith(() -> {
              meanwhile.forEach(Runnable::run);
              return Fate.DONE;
            }),
            "s",
            1);
    shelf.claim(1);
    meanwhile.add(
        () -> CompletableFuture.runAsync(shelf::close).orTimeout(10, TimeUnit.SECONDS).join());

    assertThat(shelf.put(1, "a", "1")).isEqualTo(new Result.Persisted());
    assertThat(shelf.put(1, "b", "2")).isInstanceOf(Result.Rejected.class);
    assertThat(second.claim(2)).containsOnlyKeys("a");
  }

  /** Two leaders at once, lost and late writes: what was said to be kept is there at the end. */
  @Test
  void keepsItsWordWhateverBecomesOfWrites() {
    for (int seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      FakeDocuments shared = new FakeDocuments();
      List<LeaderStateStore> shelves =
          List.of(
              new LeaderStateStore(shared.seenWith(() -> fate(random)), "s", 2),
              new LeaderStateStore(shared.seenWith(() -> fate(random)), "s", 2));
      Set<String> kept = new TreeSet<>();
      Set<String> perhaps = new TreeSet<>();
      long[] terms = new long[2];
      for (int i = 0; i < 60; i++) {
        int who = random.nextInt(2);
        if (random.nextInt(8) == 0) {
          terms[who] = claim(shelves.get(who), i + 1);
        } else if (random.nextInt(6) == 0) {
          shared.arrive();
        } else {
          String key = "k" + i;
          switch (shelves.get(who).put(terms[who], key, "x")) {
            case Result.Persisted _ -> kept.add(key);
            case Result.Uncertain _ -> perhaps.add(key);
            case Result.Rejected _ -> {}
          }
        }
      }
      Set<String> found =
          new TreeSet<>(
              new LeaderStateStore(shared.seenWith(() -> Fate.DONE), "s", 2).claim(100).keySet());
      assertThat(found).as("seed %d", seed).containsAll(kept);
      found.removeAll(kept);
      assertThat(perhaps).as("seed %d", seed).containsAll(found);
    }
  }

  private static long claim(LeaderStateStore shelf, long term) {
    try {
      shelf.claim(term);
      return term;
    } catch (NotClaimedException _) {
      return 0;
    }
  }

  private static Fate fate(Random random) {
    return Fate.of(random.nextInt(10));
  }
}
