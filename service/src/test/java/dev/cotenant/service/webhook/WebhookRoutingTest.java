package dev.cotenant.service.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.service.webhook.WebhookRouting.AnsweredBy;
import dev.cotenant.service.webhook.WebhookRouting.Target;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Over plain HTTP; {@link WebhookServerTest} has the whole server. */
class WebhookRoutingTest {
  private static final int SHORT = 32 << 10;

  private final Vertx vertx = Vertx.vertx();
  private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient client = HttpClient.newHttpClient();
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch answer = new CountDownLatch(1);
  private WebhookRouting routing;
  private HttpServer server;

  @BeforeEach
  void listen() {
    routing =
        new WebhookRouting(
            Map.of(
                "/reads", new Target(_ -> answeringThread(), AnsweredBy.EVENT_LOOP),
                "/decides", new Target(_ -> answeringThread(), AnsweredBy.WORKER),
                "/waits", new Target(_ -> waitFor(answer), AnsweredBy.WORKER),
                "/fails", new Target(_ -> fail(), AnsweredBy.EVENT_LOOP)),
            workers);
    server =
        vertx
            .createHttpServer()
            .requestHandler(routing::handle)
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .join();
  }

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
    workers.shutdown();
  }

  @Test
  void readsShortBodiesOnTheEventLoop() throws Exception {
    assertThat(post("/reads", 1).body()).isEqualTo("event loop");
    assertThat(post("/reads", SHORT).body()).isEqualTo("event loop");
  }

  @Test
  void readsLongBodiesElsewhere() throws Exception {
    assertThat(post("/reads", SHORT + 1).body()).isEqualTo("worker");
  }

  @Test
  void decidesElsewhere() throws Exception {
    assertThat(post("/decides", 1).body()).isEqualTo("worker");
  }

  @Test
  void aFailureOnTheEventLoopIsAnAnswerAndTheLoopGoesOn() throws Exception {
    HttpResponse<String> failure = post("/fails", 1);
    assertThat(failure.statusCode()).isEqualTo(500);
    assertThat(failure.body()).startsWith("internal error").doesNotContain("of mine");
    assertThat(post("/reads", 1).statusCode()).isEqualTo(200);
  }

  @Test
  void drainsWhatWasAskedBeforeIt() throws Exception {
    routing.drain(Duration.ofMinutes(1)); // nothing was
    CompletableFuture<HttpResponse<String>> waiting =
        client.sendAsync(request("/waits", 1), HttpResponse.BodyHandlers.ofString());
    asked.await();
    routing.drain(Duration.ofMillis(20)); // no longer than that
    assertThat(waiting).isNotDone();

    CompletableFuture<Void> drained = CompletableFuture.runAsync(this::drain);
    answer.countDown();
    drained.join();
    assertThat(waiting.join().body()).isEqualTo("waited");
    assertThat(post("/fails", 1).statusCode()).isEqualTo(500);
    routing.drain(Duration.ofMinutes(1)); // a failure is an answer
  }

  private void drain() {
    try {
      routing.drain(Duration.ofMinutes(1));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private byte[] waitFor(CountDownLatch latch) {
    asked.countDown();
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return "waited".getBytes(StandardCharsets.UTF_8);
  }

  private HttpResponse<String> post(String path, int bytes)
      throws IOException, InterruptedException {
    return client.send(request(path, bytes), HttpResponse.BodyHandlers.ofString());
  }

  private HttpRequest request(String path, int bytes) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.actualPort() + path))
        .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[bytes]))
        .build();
  }

  private static byte[] answeringThread() {
    return (Context.isOnEventLoopThread() ? "event loop" : "worker")
        .getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] fail() {
    throw new IllegalStateException("a defect of mine");
  }
}
