package dev.cotenant.admission.kubernetes;

import dev.cotenant.admission.gate.ClusterWriter;
import dev.cotenant.admission.gate.Notes;
import dev.cotenant.admission.gate.WatchedPod;
import dev.cotenant.admission.review.JsonPatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/** Writes as another writer does, and keeps notes on a thread of its own. */
public final class KeepingWriter implements ClusterWriter, AutoCloseable {
  private final ClusterWriter writer;
  private final KeptState state;
  private final ExecutorService keeping =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("kept-notes").factory());

  public KeepingWriter(ClusterWriter writer, KeptState state) {
    this.writer = writer;
    this.state = state;
  }

  @Override
  public void keep(long term, Notes notes, Consumer<Written> done) {
    try {
      keeping.execute(() -> done.accept(state.write(term, notes)));
    } catch (RejectedExecutionException _) {
      done.accept(new Written.Refused("this process ends"));
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
    keeping.shutdownNow();
  }
}
