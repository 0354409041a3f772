package dev.cotenant.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.testing.FreePort;
import dev.cotenant.service.webhook.WebhookClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Overload of the packaged service beyond what it can refuse itself. */
@EnabledOnOs(OS.LINUX)
class ClosedPortIT {
  private static final int CALLERS = 64;
  private static final InetAddress HOST = InetAddress.getLoopbackAddress();

  @TempDir Path data;

  @Test
  void theKernelRefusesReviewsBeyondThoseInProgressAndNoProbe() throws Exception {
    int http = FreePort.find();
    int https = FreePort.find();
    try (ServiceProcess service =
        ServiceProcess.start(
            List.of(
                "-Dquarkus.http.port=" + http,
                "-Dcotenant.webhook.port=" + https,
                "-Dcotenant.data.directory=" + data,
                "-Dcotenant.policy.mode=immediate",
                "-Dcotenant.server.reviews=8",
                "-Dcotenant.cluster.recorded=service/src/test/resources/cluster.json"))) {
      service.awaitReady(http);
      overload(https, http);
      assertThat(get(http, "/q/metrics").lines())
          .filteredOn(line -> line.startsWith("cotenant_server_shed_total"))
          .filteredOn(line -> line.contains("kernel") && !line.endsWith(" 0.0"))
          .hasSize(1)
          .allMatch(line -> line.contains("https"));
      Instant end = Instant.now().plus(Duration.ofMinutes(1));
      while (!isAnswered(https)) {
        assertThat(Instant.now()).as("normal after the overload").isBefore(end);
        Thread.sleep(100);
      }
    }
  }

  /** Many callers send reviews, and connect again where they are cut, until nothing listens. */
  private static void overload(int https, int http) throws Exception {
    AtomicBoolean refused = new AtomicBoolean();
    Instant end = Instant.now().plus(Duration.ofMinutes(2));
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < CALLERS; i++) {
        callers.execute(() -> {
          while (!refused.get() && Instant.now().isBefore(end)) {
            try (Socket socket = connect(https)) {
              while (!refused.get() && isAnswered(socket)) {
                // the next one
              }
            } catch (ConnectException nobodyListens) {
              refused.set(true);
            } catch (IOException cut) {
              // connects again
            }
          }
        });
      }
      while (!refused.get() && Instant.now().isBefore(end)) {
        assertThat(get(http, "/q/health/live")).contains("UP");
      }
    }
    assertThat(refused).isTrue();
    awaitOpen(https, end);
  }

  private static void awaitOpen(int https, Instant end) throws Exception {
    while (Instant.now().isBefore(end)) {
      try (Socket socket = new Socket(HOST, https)) {
        assertThat(socket.isConnected()).isTrue();
        return;
      } catch (IOException refused) {
        Thread.sleep(100);
      }
    }
    throw new AssertionError("the port stays closed");
  }

  private static Socket connect(int port) throws IOException {
    return WebhookClient.trustingAll()
        .getSocketFactory()
        .createSocket(new Socket(HOST, port), "localhost", port, true);
  }

  private static boolean isAnswered(int port) {
    try (Socket socket = connect(port)) {
      return isAnswered(socket);
    } catch (IOException refused) {
      return false;
    }
  }

  /** Whether a review gets status 200; the connection goes on where it gets any answer. */
  private static boolean isAnswered(Socket socket) throws IOException {
    byte[] body = WebhookClient.review("resnet50", 1);
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(
        ("POST /webhooks/mutate HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                + body.length
                + "\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII));
    request.writeBytes(body);
    socket.setSoTimeout(60_000);
    socket.getOutputStream().write(request.toByteArray());
    byte[] answer = new byte[1 << 16];
    int read = socket.getInputStream().read(answer);
    return new String(answer, 0, Math.max(0, read), StandardCharsets.US_ASCII)
        .startsWith("HTTP/1.1 200");
  }

  private static String get(int port, String path) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build(),
              HttpResponse.BodyHandlers.ofString())
          .body();
    }
  }
}
