package dev.cotenant.admission.kubernetes.state;

import dev.cotenant.admission.state.LeaderState;
import dev.cotenant.admission.state.LeaderStateSaver;
import dev.cotenant.admission.state.LeaderStateStore.Result;
import dev.cotenant.admission.supervision.Heartbeat;
import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * Persists leader state in a loop of its own. The result of a write that ended on an Error is
 * {@link Result.Uncertain}; the next change writes the state again.
 */
public final class LeaderStateLoop implements LeaderStateSaver, AutoCloseable {
  private static final Duration PAUSE = Duration.ofMinutes(1);

  /** The state is one ConfigMap: a few requests with a few retries. */
  private static final Duration WRITE_AT_MOST = Duration.ofMinutes(1);

  private final BiFunction<Long, LeaderState, Result> document;
  private final BlockingQueue<Save> queue = new LinkedBlockingQueue<>();
  private final Loop loop;
  private volatile boolean closed;

  private record Save(long term, LeaderState state, Consumer<Result> done) {}

  /**
   * @param document writes the state of a term and waits for the result
   */
  public LeaderStateLoop(BiFunction<Long, LeaderState, Result> document, Supervisor supervisor) {
    this.document = document;
    loop = supervisor.start(LoopPlan.restarted("leader-state", WRITE_AT_MOST), this::saveNext);
  }

  private void saveNext(Heartbeat heart) throws InterruptedException {
    heart.beatBefore(PAUSE);
    Save next = queue.poll(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    heart.beat();
    if (next != null) {
      Result result = new Result.Uncertain("a defect ended the write");
      try {
        result = document.apply(next.term(), next.state());
      } finally {
        next.done().accept(result);
      }
    }
  }

  @Override
  public void save(long term, LeaderState state, Consumer<Result> done) {
    if (closed) {
      done.accept(new Result.Rejected("this process ends"));
    } else {
      queue.add(new Save(term, state, done));
    }
  }

  /** Rejects all further writes. */
  @Override
  public void close() {
    closed = true;
    loop.close();
  }
}
