package dev.cotenant.service.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.supervision.FakeProcess;
import dev.cotenant.admission.webhook.ReviewHandler;
import dev.cotenant.service.overload.Connection;
import dev.cotenant.service.overload.LoadShedding;
import dev.cotenant.service.overload.ShedCause;
import dev.cotenant.service.overload.TestLoadShedding;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Over plain HTTP; {@link WebhookServerTest} has the whole server. */
class WebhookRoutingTest {
  private static final int SHORT = 32 << 10;

  private final LoadShedding loadShedding = TestLoadShedding.withBodyBytes(4 << 20);
  private final Vertx vertx = TestLoadShedding.vertx(loadShedding);
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final FakeProcess process = new FakeProcess();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final CountDownLatch requested = new CountDownLatch(1);
  private final CountDownLatch answer = new CountDownLatch(1);
  private final CountDownLatch late = new CountDownLatch(1);
  private WebhookRouting routing;
  private HttpServer server;

  @BeforeEach
  void listen() {
    routing =
        new WebhookRouting(
            Map.of(
                "/reads",
                (_, _) -> CompletableFuture.completedFuture(answeringThread()),
                "/decides",
                ReviewHandler.byWorkers(_ -> answeringThread()),
                "/waits",
                ReviewHandler.byWorkers(_ -> waitFor(answer)),
                "/fails",
                (_, _) -> CompletableFuture.completedFuture(fail()),
                "/read-without-memory",
                (_, _) -> CompletableFuture.completedFuture(exhaust()),
                "/decided-without-memory",
                ReviewHandler.byWorkers(_ -> exhaust())),
            new Workers(executor, process.supervisor),
            loadShedding);
    server =
        vertx
            .createHttpServer()
            .requestHandler(request -> {
              Connection.of(request).serve(request);
              if (request.headers().contains("Late")) {
                request.pause();
                request.connection().closeHandler(_ -> handleLate(request));
              } else {
                routing.handle(request);
              }
            })
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .join();
  }

  /** As after a review of the caller that outlasts the connection. */
  private void handleLate(HttpServerRequest request) {
    routing.handle(request);
    request.resume();
    late.countDown();
  }

  @Test
  void returnsTheMemoryOfABodyWhoseCallerLeftBeforeItWasRead() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.actualPort())) {
      String head = "POST /reads HTTP/1.1\r\nHost: x\r\nLate: 1\r\nContent-Length: 500000\r\n\r\n";
      socket
          .getOutputStream()
          .write((head + "x".repeat(50_000)).getBytes(StandardCharsets.US_ASCII));
    }
    late.await();
    CompletableFuture<Long> after = new CompletableFuture<>();
    vertx.setTimer(100, _ -> after.complete(loadShedding.budget().inFlight()));
    assertThat(after.get()).isZero();
  }

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
    executor.shutdown();
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

  @ParameterizedTest
  @ValueSource(strings = {"/read-without-memory", "/decided-without-memory"})
  void exhaustedMemoryInAReviewEndsTheProcess(String path) throws Exception {
    assertThat(post("/fails", 1).statusCode()).isEqualTo(500);
    assertThat(process.lastWords()).isEmpty();
    post(path, 1);
    assertThat(process.lastWords()).hasSize(1);
  }

  private static byte[] exhaust() {
    throw new OutOfMemoryError("injected");
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
    requested.await();
    routing.drain(Duration.ofMillis(20)); // no longer than that
    assertThat(waiting).isNotDone();

    CompletableFuture<Void> drained = CompletableFuture.runAsync(this::drain);
    answer.countDown();
    drained.join();
    assertThat(waiting.join().body()).isEqualTo("waited");
    assertThat(post("/fails", 1).statusCode()).isEqualTo(500);
    routing.drain(Duration.ofMinutes(1)); // a failure is an answer
  }

  @Test
  void refusesWhatGoesBeyondTheReviewsThatMayBeInProgress() throws Exception {
    List<CompletableFuture<HttpResponse<String>>> waiting =
        Stream.generate(
                () -> client.sendAsync(request("/waits", 1), HttpResponse.BodyHandlers.ofString()))
            .limit(TestLoadShedding.REVIEWS)
            .toList();
    await(loadShedding.reviews()::isFull);
    for (int i = 0; i < 3; i++) {
      await(() ->
          TestLoadShedding.connections(loadShedding)
              == TestLoadShedding.REVIEWS); // a surplus one is reset
      assertThat(lastAnswerTo("POST /waits HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n0"))
          .startsWith("HTTP/1.1 503 ")
          .containsIgnoringCase("connection: close")
          .doesNotContainIgnoringCase("retry-after");
    }
    assertThat(shed(ShedCause.REVIEWS)).isEqualTo(3);
    await(() -> TestLoadShedding.connections(loadShedding) == TestLoadShedding.REVIEWS);
    assertThat(
            client
                .send(
                    HttpRequest.newBuilder(uri("/healthz")).build(),
                    HttpResponse.BodyHandlers.ofString())
                .statusCode())
        .isEqualTo(200);
    answer.countDown();
    assertThat(waiting.stream().map(CompletableFuture::join).map(HttpResponse::statusCode))
        .containsOnly(200);
    assertThat(post("/waits", 1).statusCode()).isEqualTo(200);
  }

  @Test
  void callersThatGoAwayLeaveNothingBehind() throws Exception {
    for (int i = 0; i < 3 * TestLoadShedding.REVIEWS; i++) {
      String whole = i % 2 == 0 ? "" : "0\r\n\r\n";
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.actualPort())) {
        socket
            .getOutputStream()
            .write(
                ("POST /reads HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "5\r\n{\"a\":\r\n"
                        + whole)
                    .getBytes(StandardCharsets.US_ASCII));
      }
    }
    await(() -> loadShedding.budget().inFlight() == 0);
    assertThat(post("/reads", 1).statusCode()).isEqualTo(200);
  }

  @Test
  void refusesABodyThatTheBudgetHasNoRoomForBeforeItArrives() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.actualPort())) {
      socket
          .getOutputStream()
          .write(
              "POST /reads HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      byte[] status = socket.getInputStream().readNBytes(12);
      assertThat(new String(status, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 503");
    }
    assertThat(post("/reads", 300_000).statusCode()).isEqualTo(200);
    assertThat(post("/reads", 3_000_000).statusCode()).isEqualTo(503);
    assertThat(shed(ShedCause.BYTES)).isEqualTo(2);
    assertThat(loadShedding.budget().inFlight()).isZero();
  }

  private double shed(ShedCause cause) {
    return TestLoadShedding.shed(loadShedding, cause);
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    Instant end = Instant.now().plusSeconds(60);
    while (!condition.getAsBoolean()) {
      assertThat(Instant.now()).isBefore(end);
      Thread.sleep(10);
    }
  }

  private void drain() {
    try {
      routing.drain(Duration.ofMinutes(1));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private byte[] waitFor(CountDownLatch latch) {
    requested.countDown();
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return "waited".getBytes(StandardCharsets.UTF_8);
  }

  /**
   * The answer up to the end of the connection. Head and body are one write: what arrives after the
   * close of the connection would reset it, and the answer would be lost.
   */
  private String lastAnswerTo(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.actualPort())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  private HttpResponse<String> post(String path, int bytes)
      throws IOException, InterruptedException {
    return client.send(request(path, bytes), HttpResponse.BodyHandlers.ofString());
  }

  private HttpRequest request(String path, int bytes) {
    return HttpRequest.newBuilder(uri(path))
        .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[bytes]))
        .build();
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.actualPort() + path);
  }

  private static byte[] answeringThread() {
    return (Context.isOnEventLoopThread() ? "event loop" : "worker")
        .getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] fail() {
    throw new IllegalStateException("a defect of mine");
  }
}
