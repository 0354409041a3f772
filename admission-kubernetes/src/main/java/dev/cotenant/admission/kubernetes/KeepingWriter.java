package dev.cotenant.admission.kubernetes;

import dev.cotenant.admission.gate.ClusterWriter;
import dev.cotenant.admission.gate.Notes;
import dev.cotenant.admission.gate.WatchedPod;
import dev.cotenant.admission.review.JsonPatch;
import dev.cotenant.admission.supervision.Heartbeat;
import dev.cotenant.admission.supervision.Loop;
import dev.cotenant.admission.supervision.LoopPlan;
import dev.cotenant.admission.supervision.Supervisor;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Writes as another writer does, and keeps notes in a loop of its own. Notes whose writing failed
 * on an Error are told as {@link ClusterWriter.Written.Unknown}, and are written again with the
 * next change.
 */
public final class KeepingWriter implements ClusterWriter, AutoCloseable {
  private static final Duration PAUSE = Duration.ofMinutes(1);

  /** Notes are one ConfigMap: a few requests, tried again a few times. */
  private static final Duration WRITE_AT_MOST = Duration.ofMinutes(1);

  private final ClusterWriter writer;
  private final Keeper keeper;
  private final BlockingQueue<Keeping> waiting = new LinkedBlockingQueue<>();
  private final Loop loop;
  private volatile boolean closed;

  /** Notes to be kept, and where the outcome goes. */
  private record Keeping(long term, Notes notes, Consumer<Written> done) {}

  /** Keeps notes as something else than the state does. */
  @FunctionalInterface
  interface Keeper {
    Written write(long term, Notes notes);
  }

  public KeepingWriter(ClusterWriter writer, KeptState state, Supervisor supervisor) {
    this(writer, state::write, supervisor);
  }

  KeepingWriter(ClusterWriter writer, Keeper keeper, Supervisor supervisor) {
    this.writer = writer;
    this.keeper = keeper;
    loop = supervisor.start(LoopPlan.restarted("kept-notes", WRITE_AT_MOST), this::keepNext);
  }

  private void keepNext(Heartbeat heart) throws InterruptedException {
    heart.beatBefore(PAUSE);
    Keeping next = waiting.poll(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    heart.beat();
    if (next != null) {
      Written outcome = new Written.Unknown("a defect ended the writing");
      try {
        outcome = keeper.write(next.term(), next.notes());
      } finally {
        next.done().accept(outcome);
      }
    }
  }

  @Override
  public void keep(long term, Notes notes, Consumer<Written> done) {
    if (closed) {
      done.accept(new Written.Refused("this process ends"));
    } else {
      waiting.add(new Keeping(term, notes, done));
    }
  }

  @Override
  public void patch(WatchedPod pod, JsonPatch patch, Consumer<Written> done) {
    writer.patch(pod, patch, done);
  }

  @Override
  public void look(WatchedPod pod, Consumer<Looked> done) {
    writer.look(pod, done);
  }

  @Override
  public void delete(WatchedPod pod, Consumer<Written> done) {
    writer.delete(pod, done);
  }

  @Override
  public void claim(WatchedPod pod, String name, DeviceClaim wanted, Consumer<Written> done) {
    writer.claim(pod, name, wanted, done);
  }

  @Override
  public void tell(WatchedPod pod, PodEvent event) {
    writer.tell(pod, event);
  }

  /** Keeps nothing any more. */
  @Override
  public void close() {
    closed = true;
    loop.close();
  }
}
