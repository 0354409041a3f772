package dev.cotenant.engine.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.Sha256;
import dev.cotenant.engine.lifecycle.ConflictException;
import dev.cotenant.engine.lifecycle.Training;
import dev.cotenant.engine.lifecycle.Training.State;
import dev.cotenant.engine.lifecycle.TrainingStore;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every store of trainings keeps to; each test gets an empty one. */
public abstract class TrainingStoreContract {
  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
  private static final Instant STALE = NOON.minusSeconds(30);

  /** The store under test, empty before each test. */
  protected abstract TrainingStore trainings();

  @Test
  void goesFromQueuedThroughRunningToFinished() {
    assertThat(trainings().enqueue("t1", NOON)).isEqualTo(Training.queued("t1", NOON));
    Training running = trainings().claim("r1", STALE, NOON.plusSeconds(1)).orElseThrow();
    assertThat(running.state()).isEqualTo(State.RUNNING);
    assertThat(running.replica()).isEqualTo("r1");
    Training.Progress half = new Training.Progress("offsets", 1, 2);
    assertThat(trainings().advance(running, half, NOON.plusSeconds(2))).isTrue();
    assertThat(trainings().find("t1").orElseThrow().progress()).isEqualTo(half);
    String version = Sha256.of("v");
    Training.Outcome outcome = Training.Outcome.finished(version, "done", Map.of());
    assertThat(trainings().end(running, outcome, NOON.plusSeconds(3))).isTrue();
    Training ended = trainings().find("t1").orElseThrow();
    assertThat(ended.state()).isEqualTo(State.FINISHED);
    assertThat(ended.version()).isEqualTo(version);
    assertThat(ended.message()).isEqualTo("done");
    assertThat(ended.updatedAt()).isEqualTo(NOON.plusSeconds(3));
    assertThat(trainings().end(running, outcome, NOON.plusSeconds(4))).isFalse();
  }

  @Test
  void refusesASecondWhileOneIsOpen() {
    trainings().enqueue("t1", NOON);
    assertThatThrownBy(() -> trainings().enqueue("t2", NOON))
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.code()).isEqualTo("training-running"))
        .hasMessageContaining("t1");
    Training running = trainings().claim("r1", STALE, NOON).orElseThrow();
    assertThatThrownBy(() -> trainings().enqueue("t2", NOON)).isInstanceOf(ConflictException.class);
    trainings().end(running, Training.Outcome.failed("no rows"), NOON.plusSeconds(1));
    trainings().enqueue("t2", NOON.plusSeconds(2));
    assertThat(trainings().newest(10)).extracting(Training::id).containsExactly("t2", "t1");
    assertThat(trainings().newest(1)).extracting(Training::id).containsExactly("t2");
  }

  @Test
  void givesATrainingToOneReplicaUntilThatFallsSilent() {
    trainings().enqueue("t1", NOON);
    Training first = trainings().claim("r1", STALE, NOON).orElseThrow();
    assertThat(trainings().claim("r2", NOON.minusSeconds(1), NOON.plusSeconds(29))).isEmpty();
    Training second =
        trainings().claim("r2", NOON.plusSeconds(1), NOON.plusSeconds(31)).orElseThrow();
    assertThat(second.replica()).isEqualTo("r2");
    Training.Progress progress = new Training.Progress("x", 1, 2);
    assertThat(trainings().advance(first, progress, NOON.plusSeconds(32))).isFalse();
    assertThat(trainings().end(first, Training.Outcome.failed("late"), NOON.plusSeconds(32)))
        .isFalse();
    assertThat(trainings().advance(second, progress, NOON.plusSeconds(32))).isTrue();
  }

  @Test
  void cancelsWhatWaitsAndWhatRuns() {
    trainings().enqueue("t1", NOON);
    assertThat(trainings().cancel("t1", NOON).state()).isEqualTo(State.CANCELLED);
    assertThat(trainings().claim("r1", STALE, NOON)).isEmpty();
    trainings().enqueue("t2", NOON);
    Training running = trainings().claim("r1", STALE, NOON).orElseThrow();
    assertThat(trainings().cancel("t2", NOON).state()).isEqualTo(State.CANCELLED);
    assertThat(trainings().advance(running, Training.Progress.NONE, NOON)).isFalse();
    assertThatThrownBy(() -> trainings().cancel("t2", NOON))
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.code()).isEqualTo("training-ended"));
    assertThatThrownBy(() -> trainings().cancel("t3", NOON)).isInstanceOf(InputException.class);
  }

  @Test
  void letsOneOfManyAtOnceIn() throws InterruptedException, ExecutionException {
    try (ExecutorService pool = Executors.newFixedThreadPool(4)) {
      List<Callable<Boolean>> attempts =
          IntStream.range(0, 8).<Callable<Boolean>>mapToObj(i -> () -> enqueued("t" + i)).toList();
      int won = 0;
      for (Future<Boolean> attempt : pool.invokeAll(attempts)) {
        won += attempt.get() ? 1 : 0;
      }
      assertThat(won).isEqualTo(1);
      List<Callable<Boolean>> claims =
          IntStream.range(0, 8)
              .<Callable<Boolean>>mapToObj(
                  i -> () -> trainings().claim("r" + i, STALE, NOON).isPresent())
              .toList();
      int got = 0;
      for (Future<Boolean> claim : pool.invokeAll(claims)) {
        got += claim.get() ? 1 : 0;
      }
      assertThat(got).isEqualTo(1);
    }
  }

  private boolean enqueued(String id) {
    try {
      trainings().enqueue(id, NOON);
      return true;
    } catch (ConflictException e) {
      return false; // another was faster
    }
  }
}
