package dev.cotenant.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Probes liveness every second over a new connection, as a kubelet on the same host does. */
final class LivenessProbe implements AutoCloseable {
  /** Of the chart's liveness probe. */
  private static final int TIMEOUT_SECONDS = 3;

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final Connector connector;
  private int successes;
  private int mostFailuresInARow;
  private int failures;

  /** Connects to the HTTP port. */
  interface Connector {
    Socket connect() throws IOException;
  }

  LivenessProbe(Connector connector) {
    this.connector = connector;
    var _ = timer.scheduleAtFixedRate(this::probe, 0, 1, TimeUnit.SECONDS);
  }

  private void probe() {
    try (Socket socket = connector.connect()) {
      socket.setSoTimeout(TIMEOUT_SECONDS * 1000);
      socket
          .getOutputStream()
          .write(
              "GET /q/health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
      count(answer.equals("HTTP/1.1 200"));
    } catch (IOException refused) {
      count(false);
    }
  }

  private synchronized void count(boolean success) {
    successes += success ? 1 : 0;
    failures = success ? 0 : failures + 1;
    mostFailuresInARow = Math.max(mostFailuresInARow, failures);
  }

  synchronized int mostFailuresInARow() {
    assertThat(successes).isPositive();
    return mostFailuresInARow;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
