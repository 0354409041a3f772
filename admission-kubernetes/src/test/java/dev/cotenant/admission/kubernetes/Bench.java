package dev.cotenant.admission.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.api.LoopContext;
import dev.cotenant.admission.kubernetes.read.PodReader;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer;
import dev.cotenant.admission.supervision.FakeProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** A fake API server and a client of it. */
public final class Bench implements AutoCloseable {
  public final FakeApiServer fake;
  public final ApiServer server;
  public final List<String> log = new CopyOnWriteArrayList<>();
  public final FakeProcess process = new FakeProcess();

  public Bench(Path folder) {
    this(folder, Duration.ofSeconds(60));
  }

  public Bench(Path folder, Duration timeout) {
    fake = new FakeApiServer(folder);
    try {
      server = ApiServer.of(Optional.of(fake.kubeconfig(folder, "test")), timeout);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** For loops that nobody watches. */
  public LoopContext loopContext() {
    return new LoopContext(server, process.supervisor);
  }

  /** A pod as the controller sees it. */
  public WatchedPod create(ObjectNode pod) {
    return watched(fake.create("pods", "team-a", pod));
  }

  public static WatchedPod watched(ObjectNode pod) {
    return new PodReader().read(pod).orElseThrow();
  }

  @Override
  public void close() {
    process.supervisor.close();
    server.close();
    fake.close();
  }
}
