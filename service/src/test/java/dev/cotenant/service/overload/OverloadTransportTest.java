package dev.cotenant.service.overload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.supervision.FakeProcess;
import dev.cotenant.admission.supervision.Fault;
import dev.cotenant.domain.testing.FreePort;
import dev.cotenant.service.supervision.LoopFaults;
import dev.cotenant.service.webhook.PemFiles;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A real listener, with 10 connections from one address and 5 before their first request. */
class OverloadTransportTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  private static final String LARGE = "GET /large HTTP/1.1\r\nHost: x\r\n\r\n";
  private static final String SILENT = "GET /silent HTTP/1.1\r\nHost: x\r\n\r\n";
  private static final String POST = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n";

  private final int port = FreePort.find();
  private final FakeProcess process = new FakeProcess();
  private final LoadShedding loadShedding =
      new LoadShedding(
          TestLoadShedding.withFewConnections(),
          port,
          new SimpleMeterRegistry(),
          process.supervisor);
  private final Vertx vertx = TestLoadShedding.vertx(loadShedding);
  private final List<Socket> sockets = new ArrayList<>();
  private final AtomicInteger posts = new AtomicInteger();
  private HttpServer server;

  @BeforeEach
  void listen() {
    server = listen(new HttpServerOptions().setPort(port));
  }

  private HttpServer listen(HttpServerOptions options) {
    return vertx
        .createHttpServer(options.setHost("127.0.0.1"))
        .requestHandler(request -> {
          Connection.of(request).serve(request);
          if (HttpMethod.POST.equals(request.method())) {
            posts.incrementAndGet();
          }
          switch (request.path()) {
            case "/large" -> request.response().end("x".repeat(1 << 20));
            case "/silent" -> {} // never answered
            default -> request.end().onSuccess(_ -> request.response().end("ok"));
          }
        })
        .listen()
        .toCompletionStage()
        .toCompletableFuture()
        .join();
  }

  @AfterEach
  void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.actualPort());
    socket.setSoTimeout((int) Duration.ofSeconds(60).toMillis());
    sockets.add(socket);
    return socket;
  }

  /** Whether a request is answered, and not cut. */
  private static boolean isAnswered(Socket socket) {
    try {
      send(socket, GET);
      return new String(socket.getInputStream().readNBytes(40), StandardCharsets.US_ASCII)
          .startsWith("HTTP/1.1 200");
    } catch (IOException cut) {
      return false;
    }
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static boolean isCut(Socket socket) {
    try {
      return socket.getInputStream().read() < 0;
    } catch (IOException cut) {
      return true;
    }
  }

  @Test
  void theLongestIdleConnectionMakesRoomAfterAWhile() throws Exception {
    for (int i = 0; i < 10; i++) {
      assertThat(isAnswered(connect())).isTrue();
    }
    assertThat(isAnswered(connect())).as("others were busy lately").isFalse();
    Instant end = Instant.now().plusSeconds(60);
    while (!isAnswered(connect())) {
      assertThat(Instant.now()).isBefore(end);
      Thread.sleep(100);
    }
    assertThat(isCut(sockets.getFirst())).isTrue();
    assertThat(isAnswered(sockets.get(1))).isTrue();
  }

  @Test
  void silentConnectionsMakeRoomAfterAWhile() throws Exception {
    for (int i = 0; i < 5; i++) {
      connect();
    }
    Instant end = Instant.now().plusSeconds(60);
    while (!isAnswered(connect())) {
      assertThat(Instant.now()).isBefore(end);
      Thread.sleep(100);
    }
    assertThat(isCut(sockets.getFirst())).isTrue();
    assertThat(TestLoadShedding.shed(loadShedding, ShedCause.CONNECTIONS)).isPositive();
  }

  @Test
  void requestsInProgressKeepTheirPlaces() throws Exception {
    for (int i = 0; i < 10; i++) {
      Socket socket = connect();
      assertThat(isAnswered(socket)).isTrue();
      send(socket, POST);
    }
    Instant end = Instant.now().plusSeconds(60);
    while (posts.get() < 10) {
      assertThat(Instant.now()).isBefore(end);
      Thread.sleep(10);
    }
    int refused = 0;
    for (int i = 0; i < 20; i++) {
      refused += isAnswered(connect()) ? 0 : 1;
    }
    assertThat(refused).isPositive();
    assertThat(loadShedding.connections("http")).isLessThanOrEqualTo(10);
  }

  @Test
  void cutsAPeerThatDoesNotReadAnswers() throws Exception {
    Socket socket = connect();
    socket.setReceiveBufferSize(1 << 10);
    Instant end = Instant.now().plusSeconds(60);
    while (TestLoadShedding.shed(loadShedding, ShedCause.BYTES) == 0) {
      assertThat(Instant.now()).isBefore(end);
      try {
        send(socket, LARGE);
      } catch (IOException cut) {
        break;
      }
    }
    assertThat(TestLoadShedding.shed(loadShedding, ShedCause.BYTES)).isPositive();
  }

  @Test
  void cutsAPeerThatSendsManyRequestsAtOnce() throws Exception {
    Socket socket = connect();
    send(socket, SILENT.repeat(Connection.MAX_PIPELINED + 1));
    assertThat(isCut(socket)).isTrue();
    assertThat(TestLoadShedding.shed(loadShedding, ShedCause.CONNECTIONS)).isPositive();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void theKernelRefusesWhileReviewsTakeAllTheTime() throws Exception {
    overload();
    awaitKernel();
    assertThat(isAnswered(sockets.getFirst())).as("a standing connection").isTrue();
    recover();
    assertThat(TestLoadShedding.shed(loadShedding, ShedCause.CONNECTIONS)).isPositive();
    assertThat(TestLoadShedding.shed(loadShedding, ShedCause.KERNEL)).isPositive();
  }

  /** More connections than reviews, and half of those in progress. */
  private void overload() throws IOException {
    for (int i = 0; i <= TestLoadShedding.REVIEWS; i++) {
      assertThat(isAnswered(connect())).isTrue();
    }
    for (int i = 0; i < TestLoadShedding.REVIEWS / 2; i++) {
      assertThat(loadShedding.reviews().take()).isTrue();
    }
  }

  /** Those reviews end; soon connections are accepted again. */
  private void recover() {
    for (int i = 0; i < TestLoadShedding.REVIEWS / 2; i++) {
      loadShedding.reviews().release();
    }
    Eventually.holds("a new connection is answered", this::isAnsweredOnce);
  }

  @ParameterizedTest
  @EnumSource
  @EnabledOnOs(OS.LINUX)
  void theLoopOfDeadlinesFailsWhileThePortIsShut(Fault.Kind kind) throws Exception {
    LoopFaults faults = new LoopFaults(process, "connections-http", kind);
    Swept swept = new Swept(faults);
    overload();
    awaitKernel();
    assertThat(loadShedding.listener("http", true).admit(swept)).isPresent();
    faults.assertHealed(Duration.ZERO);

    if (faults.isSurvived()) {
      long before = swept.sweeps.get();
      Eventually.holds("deadlines are enforced", () -> swept.sweeps.get() > before);
      recover();
    }
  }

  @ParameterizedTest
  @EnumSource
  void theLoopOfDeadlinesOfTlsFails(Fault.Kind kind, @TempDir Path folder) {
    PemFiles files = new PemFiles(folder);
    PemFiles.Pair pair = files.make("localhost", "EC");
    files.write(pair.certificate(), pair.key());
    LoopFaults faults = new LoopFaults(process, "connections-https", kind);
    Swept swept = new Swept(faults);
    listen(
        new HttpServerOptions()
            .setPort(0)
            .setSsl(true)
            .setKeyCertOptions(
                new PemKeyCertOptions()
                    .setCertPath(files.certificate().toString())
                    .setKeyPath(files.key().toString())));
    assertThat(loadShedding.listener("https", true).admit(swept)).isPresent();
    faults.assertHealed(Duration.ZERO);

    if (faults.isSurvived()) {
      long before = swept.sweeps.get();
      Eventually.holds("deadlines are enforced", () -> swept.sweeps.get() > before);
    }
  }

  /** A connection that every sweep looks at, the first time in vain. */
  private static final class Swept extends EmbeddedChannel {
    private final LoopFaults faults;
    private final AtomicLong sweeps = new AtomicLong();

    private Swept(LoopFaults faults) {
      this.faults = faults;
    }

    @Override
    public boolean isRegistered() {
      if (faults != null) { // else it is being made
        faults.strike();
        sweeps.incrementAndGet();
      }
      return super.isRegistered() && faults == null;
    }
  }

  /** Connects until nothing listens. */
  private void awaitKernel() {
    Instant end = Instant.now().plusSeconds(60);
    while (Instant.now().isBefore(end)) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        assertThat(socket.isConnected()).isTrue(); // and cut
      } catch (ConnectException refused) {
        return;
      } catch (IOException reset) {
        assertThat(reset).hasMessageContaining("reset");
      }
    }
    throw new AssertionError("the port takes connections");
  }

  private boolean isAnsweredOnce() {
    try {
      return isAnswered(connect());
    } catch (IOException refused) {
      return false;
    }
  }

  @Test
  void countsOnlyWhatIsOpen() throws Exception {
    assertThat(isAnswered(connect())).isTrue();
    sockets.getFirst().close();
    Instant end = Instant.now().plusSeconds(60);
    while (loadShedding.connections("http") > 0) {
      assertThat(Instant.now()).isBefore(end);
      Thread.sleep(10);
    }
  }
}
