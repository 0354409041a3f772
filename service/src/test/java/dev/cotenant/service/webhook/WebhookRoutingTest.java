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
import java.util.Map;
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
  private HttpServer server;

  @BeforeEach
  void listen() {
    WebhookRouting routing =
        new WebhookRouting(
            Map.of(
                "/reads", new Target(_ -> answeringThread(), AnsweredBy.EVENT_LOOP),
                "/decides", new Target(_ -> answeringThread(), AnsweredBy.WORKER),
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

  private HttpResponse<String> post(String path, int bytes)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.actualPort() + path);
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[bytes]))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  private static byte[] answeringThread() {
    return (Context.isOnEventLoopThread() ? "event loop" : "worker")
        .getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] fail() {
    throw new IllegalStateException("a defect of mine");
  }
}
