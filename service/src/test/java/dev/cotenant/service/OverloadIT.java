package dev.cotenant.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.testing.FreePort;
import dev.cotenant.service.webhook.WebhookClient;
import java.io.IOException;
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
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Attacks on the packaged service with the heap of the chart. */
class OverloadIT {
  private static final int ATTACKERS = 130;

  /** Of one alone its own share is shed, of several what is too much for all. */
  private static final int ADDRESSES = 8;

  private static final int PATIENCE_SECONDS = 60;

  private static final InetAddress HONEST = HostileConnections.address(1);
  private static final InetAddress HOSTILE = HostileConnections.address(2);

  @TempDir Path data;
  private int http;
  private int https;

  @BeforeEach
  void choosePorts() throws IOException {
    http = FreePort.find();
    https = FreePort.find();
  }

  private ServiceProcess start(String... more) throws IOException, InterruptedException {
    ServiceProcess service =
        ServiceProcess.start(
            Stream.concat(
                    Stream.of(
                        "-Xmx614m",
                        "-XX:+UseSerialGC",
                        "-Dquarkus.http.port=" + http,
                        "-Dcotenant.webhook.port=" + https,
                        "-Dcotenant.data.directory=" + data,
                        "-Dcotenant.policy.mode=enforce",
                        "-Dcotenant.cluster.recorded=service/src/test/resources/cluster.json"),
                    Stream.of(more))
                .toList());
    service.awaitReady(http);
    return service;
  }

  @ParameterizedTest
  @CsvSource({"614m, enforce", "320m, immediate"})
  void survivesBodiesThatNeverEnd(String heap, String mode) throws Exception {
    attackWithBodies(heap, mode);
  }

  @ParameterizedTest
  @CsvSource({"320m, enforce", "614m, immediate"})
  @Tag("long")
  void survivesBodiesThatNeverEndInEveryMode(String heap, String mode) throws Exception {
    attackWithBodies(heap, mode);
  }

  private void attackWithBodies(String heap, String mode) throws Exception {
    try (ServiceProcess service = start("-Xmx" + heap, "-Dcotenant.policy.mode=" + mode);
        LivenessProbe probe = new LivenessProbe(() -> HostileConnections.open(http, HONEST))) {
      for (Attack attack :
          List.of(attack("https", "/webhooks/mutate"), attack("http", "/v1/profiles"))) {
        assertThat(attack.shed()).isPositive();
        assertThat(attack.bytes()).as("more than one address may hold").isGreaterThan(share());
      }
      attack("https", "/extender/filter"); // whose callers are refused before their bodies
      assertThat(service.isAlive()).isTrue();
      assertThat(service.output()).doesNotContain("OutOfMemoryError");
      assertThat(probe.mostFailuresInARow()).as("a kubelet restarts after three").isLessThan(3);
    }
  }

  /**
   * What became of an attack.
   *
   * @param shed how many bodies were refused or cut
   * @param bytes of memory that those in flight held at most
   */
  private record Attack(double shed, double bytes) {}

  /** Memory that large bodies of one address may hold: half of all but the part for small ones. */
  private double share() throws IOException, InterruptedException {
    return 0.375 * metric("cotenant_server_body_limit_bytes", "");
  }

  /** Unfinished bodies to a path from several addresses, until the service is as before. */
  private Attack attack(String scheme, String path) throws Exception {
    double before = metric("cotenant_server_shed_total", "cause=\"bytes\"");
    Queue<Socket> attackers = new ConcurrentLinkedQueue<>();
    CountDownLatch sent = new CountDownLatch(ATTACKERS);
    double bytes;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < ATTACKERS; i++) {
        InetAddress from = HostileConnections.address(1 + i % ADDRESSES);
        threads.execute(() -> {
          try {
            Socket socket = connect(scheme, from);
            attackers.add(socket);
            HostileConnections.sendUnfinishedBody(socket, path);
          } catch (IOException shed) {
            // what becomes of the service is looked at, not of the attackers
          } finally {
            sent.countDown();
          }
        });
      }
      Future<Double> mostBytes = threads.submit(() -> mostBytesUntil(sent));
      assertThat(reviewOutcome()).as("a review during the attack").isIn("200", "503", "cut");
      bytes = mostBytes.get();
      assertThat(reviewOutcome()).as("a review during the attack").isIn("200", "503", "cut");
    } finally {
      close(attackers);
    }
    awaitNormal();
    return new Attack(metric("cotenant_server_shed_total", "cause=\"bytes\"") - before, bytes);
  }

  /** Read at least once after all were sent: attackers leave their bodies unfinished. */
  private double mostBytesUntil(CountDownLatch sent) throws IOException, InterruptedException {
    Instant end = Instant.now().plusSeconds(PATIENCE_SECONDS);
    double most = 0;
    boolean areSent;
    do {
      assertThat(Instant.now()).isBefore(end);
      areSent = sent.await(50, TimeUnit.MILLISECONDS);
      most = Math.max(most, metric("cotenant_server_body_bytes", ""));
    } while (!areSent);
    return most;
  }

  private static void close(Collection<Socket> sockets) throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  @Test
  void cutsHeadsAndBodiesThatTrickleAndNoOthers() throws Exception {
    try (ServiceProcess service =
        start(
            "-Dcotenant.server.head-deadline=1s",
            "-Dcotenant.server.body-deadline=1s",
            "-Dcotenant.server.request-deadline=2s")) {
      double before = metric("cotenant_server_shed_total", "cause=\"deadline\""); // a slow start
      allAtOnce(List.of("/q/health/live", "/v1/gpus"), this::answersOverOneConnectionAgainAndAgain);
      assertThat(metric("cotenant_server_shed_total", "cause=\"deadline\"")).isEqualTo(before);
      allAtOnce(
          Stream.of("https", "http").flatMap(OverloadIT::beginnings).toList(),
          beginning -> {
            try (Socket socket = connect(beginning.scheme(), HONEST)) {
              assertThat(HostileConnections.isCutWhileItTrickles(socket, beginning.text()))
                  .as(beginning.toString())
                  .isTrue();
            }
          });
      await(() -> metric("cotenant_server_shed_total", "cause=\"deadline\"") >= before + 6);
      awaitNormal();
      assertThat(service.isAlive()).isTrue();
    }
  }

  /** What a request begins with. */
  private record Beginning(String scheme, String text) {}

  private static Stream<Beginning> beginnings(String scheme) {
    String path = scheme.equals("http") ? "/v1/predictions" : "/webhooks/mutate";
    return Stream.of("", "POST " + path + " HTTP/1.1\r\n", HostileConnections.head(path))
        .map(text -> new Beginning(scheme, text));
  }

  private interface Attempt<T> {
    void with(T each) throws Exception;
  }

  private static <T> void allAtOnce(List<T> all, Attempt<T> attempt) throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<@Nullable Void>> attempts = new ArrayList<>();
      for (T each : all) {
        attempts.add(
            threads.submit(() -> {
              attempt.with(each);
              return null;
            }));
      }
      for (Future<@Nullable Void> one : attempts) {
        one.get();
      }
    }
  }

  private void answersOverOneConnectionAgainAndAgain(String path) throws Exception {
    try (Socket socket = HostileConnections.open(http, HONEST)) {
      socket.setSoTimeout(PATIENCE_SECONDS * 1000);
      for (int i = 0; i < 3; i++) {
        socket
            .getOutputStream()
            .write(
                ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
        byte[] answer = new byte[1 << 16];
        int read = socket.getInputStream().read(answer);
        assertThat(new String(answer, 0, Math.max(0, read), StandardCharsets.US_ASCII))
            .startsWith("HTTP/1.1 200");
        Thread.sleep(2_500); // beyond every deadline but that of idle connections
      }
    }
  }

  @Test
  void keepsPlacesFromAnAddressThatTakesAllItCan() throws Exception {
    List<Socket> hostile = new ArrayList<>();
    try (ServiceProcess service =
        start(
            "-Dcotenant.server.connections=20",
            "-Dcotenant.server.connections-per-peer=10",
            "-Dcotenant.server.handshakes=20")) {
      for (String scheme : List.of("https", "http")) {
        String listener = "listener=\"" + scheme + "\"";
        int port = scheme.equals("https") ? https : http;
        for (int i = 0; i < 40; i++) {
          HostileConnections.openUnlessShed(port, HOSTILE).ifPresent(hostile::add);
        }
        await(() -> {
          // deadlines free places, and a port that is closed for a moment counts nothing
          HostileConnections.openUnlessShed(port, HOSTILE).ifPresent(hostile::add);
          return metric("cotenant_server_shed_total", "cause=\"connections\"," + listener) >= 30;
        });
        assertThat(metric("cotenant_server_connections", listener)).isLessThanOrEqualTo(11);
        assertThat(reviewOutcome()).isEqualTo("200");
      }
      assertThat(service.isAlive()).isTrue();
    } finally {
      close(hostile);
    }
  }

  @Test
  void refusesTextsThatDoNotFitAndGoesOn() throws Exception {
    String token = "a-token-for-tests-0123456789";
    String profiles = "http://127.0.0.1:" + http + "/v1/profiles";
    String extender = "https://localhost:" + https + "/extender/filter";
    String webhook = "https://localhost:" + https + "/webhooks/mutate";
    byte[] large = "[".repeat(4_000_000).getBytes(StandardCharsets.US_ASCII);
    try (ServiceProcess service =
            start("-Dcotenant.server.heap-share=0.01", "-Dcotenant.rest.token=" + token);
        HttpClient client =
            HttpClient.newBuilder().sslContext(WebhookClient.trustingAll()).build()) {
      for (String uri : List.of(profiles, extender, webhook)) {
        for (HttpRequest.BodyPublisher body :
            List.of(
                HttpRequest.BodyPublishers.ofByteArray(large),
                HttpRequest.BodyPublishers.ofInputStream(
                    () -> new java.io.ByteArrayInputStream(large)))) {
          assertThat(refusal(client, uri, token, body)).as(uri).isIn("503", "cut");
        }
      }
      HttpRequest announced = post(profiles, token, HttpRequest.BodyPublishers.ofByteArray(large));
      HttpResponse<String> refused = client.send(announced, HttpResponse.BodyHandlers.ofString());
      assertThat(refused.body()).contains("\"overloaded\"", "cotenant.server.heap-share");
      assertThat(refused.headers().firstValue("retry-after")).isPresent();
      assertThat(metric("cotenant_server_shed_total", "cause=\"bytes\"")).isGreaterThan(6);
      assertThat(refusal(client, profiles, token, HttpRequest.BodyPublishers.ofString("{}")))
          .isEqualTo("400");
      refusesCipherBlockChaining();
      awaitNormal();
      assertThat(service.isAlive()).isTrue();
    }
  }

  private static HttpRequest post(String uri, String token, HttpRequest.BodyPublisher body) {
    return HttpRequest.newBuilder(URI.create(uri))
        .header("Content-Type", "application/json")
        .header("Authorization", "Bearer " + token)
        .POST(body)
        .build();
  }

  private static String refusal(
      HttpClient client, String uri, String token, HttpRequest.BodyPublisher body)
      throws InterruptedException {
    try {
      return String.valueOf(
          client.send(post(uri, token, body), HttpResponse.BodyHandlers.discarding()).statusCode());
    } catch (IOException cut) {
      return "cut"; // the answer came before the body was sent, and was not looked at
    }
  }

  /** Nothing but TLS 1.3 and what TLS 1.2 has of authenticated encryption. */
  private void refusesCipherBlockChaining() throws IOException {
    try (SSLSocket old =
        (SSLSocket)
            WebhookClient.trustingAll()
                .getSocketFactory()
                .createSocket(HostileConnections.open(https, HONEST), "localhost", https, true)) {
      old.setEnabledProtocols(new String[] {"TLSv1.2"});
      old.setEnabledCipherSuites(
          new String[] {
            "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
            "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
            "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384"
          });
      assertThatThrownBy(old::startHandshake).isInstanceOf(SSLException.class);
    }
  }

  /** The status of a review on a new connection, or that the connection ended without one. */
  private String reviewOutcome() throws InterruptedException {
    HttpRequest review =
        HttpRequest.newBuilder(URI.create("https://localhost:" + https + "/webhooks/mutate"))
            .timeout(Duration.ofSeconds(PATIENCE_SECONDS))
            .POST(HttpRequest.BodyPublishers.ofByteArray(WebhookClient.review("resnet50", 1)))
            .build();
    try (HttpClient client =
        HttpClient.newBuilder().sslContext(WebhookClient.trustingAll()).build()) {
      return String.valueOf(
          client.send(review, HttpResponse.BodyHandlers.discarding()).statusCode());
    } catch (java.net.http.HttpTimeoutException e) {
      return "silence";
    } catch (IOException e) {
      return "cut";
    }
  }

  private void awaitNormal() throws Exception {
    await(() -> reviewOutcome().equals("200"));
    await(() -> metric("cotenant_server_body_bytes", "") == 0);
    for (String path : List.of("/q/health/live", "/q/health/ready", "/v1/gpus")) {
      assertThat(get(path).statusCode()).isEqualTo(200);
    }
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void await(Condition condition) throws Exception {
    Instant end = Instant.now().plusSeconds(PATIENCE_SECONDS);
    while (!condition.holds()) {
      assertThat(Instant.now()).isBefore(end);
      Thread.sleep(100);
    }
  }

  private double metric(String name, String label) throws IOException, InterruptedException {
    return get("/q/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name))
        .filter(line -> line.contains(label))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  private Socket connect(String scheme, InetAddress from) throws IOException {
    return scheme.equals("http")
        ? HostileConnections.open(http, from)
        : HostileConnections.openTls(https, from);
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + http + path)).build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
  }
}
