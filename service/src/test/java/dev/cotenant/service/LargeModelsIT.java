package dev.cotenant.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.kubernetes.testing.FakeApiServer;
import dev.cotenant.domain.testing.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Models whose graphs together take more than the heap: each is stored or refused, and every loop
 * goes on.
 */
class LargeModelsIT {
  /** 7 MB of a file. */
  private static final int NODES = 240_000;

  @TempDir Path folder;
  private int port;

  @BeforeEach
  void choosePort() {
    port = FreePort.find();
  }

  private ServiceProcess start(String... more) throws IOException, InterruptedException {
    ServiceProcess service =
        ServiceProcess.start(
            Stream.concat(
                    Stream.of(
                        "-XX:+UseSerialGC",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-Dquarkus.http.port=" + port,
                        "-Dcotenant.webhook.port=0",
                        "-Dcotenant.data.directory=" + folder.resolve("data"),
                        "-Dcotenant.policy.mode=enforce",
                        "-Dcotenant.cluster.recorded=service/src/test/resources/cluster.json"),
                    Stream.of(more))
                .toList());
    service.awaitReady(port);
    return service;
  }

  private LivenessProbe probe() {
    return new LivenessProbe(() -> new Socket(InetAddress.getLoopbackAddress(), port));
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
  }

  private HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
  }

  private void put(int number) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        send(
            to("/v1/models/large-" + number)
                .header("Content-Type", "application/octet-stream")
                .PUT(
                    HttpRequest.BodyPublishers.ofByteArray(
                        GraphOfManyNodes.of("g" + number, NODES))));
    if (answer.statusCode() != 200) {
      assertThat(answer.statusCode()).as(answer.body()).isIn(413, 503, 507);
      assertThat(answer.body()).contains("\"code\"");
    }
  }

  private void isWell(ServiceProcess service, LivenessProbe probe)
      throws IOException, InterruptedException {
    assertThat(send(to("/q/health/live")).statusCode()).isEqualTo(200);
    assertThat(send(to("/q/health/ready")).statusCode()).isEqualTo(200);
    assertThat(probe.mostFailuresInARow()).as("a kubelet restarts after three").isLessThan(3);
    assertThat(restarts()).isNotEmpty().allMatch(line -> line.endsWith(" 0.0"));
    assertThat(service.isAlive()).isTrue();
    assertThat(service.output()).doesNotContain("OutOfMemoryError");
  }

  private List<String> restarts() throws IOException, InterruptedException {
    return send(to("/q/metrics"))
        .body()
        .lines()
        .filter(line -> line.startsWith("cotenant_loop_restarts_total"))
        .toList();
  }

  private int predicted(int number) throws IOException, InterruptedException {
    String body = "{\"model\":\"large-" + number + "\",\"device\":\"a100-40gb\",\"batch_size\":1}";
    return send(to("/v1/predictions")
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body)))
        .statusCode();
  }

  @Test
  @Tag("long")
  void areStoredOrRefusedAndLeaveRoomAlsoAfterARestart() throws Exception {
    try (ServiceProcess service = start("-Xmx614m");
        LivenessProbe probe = probe()) {
      for (int number = 0; number < 20; number++) {
        put(number);
      }
      isWell(service, probe);
    }
    isWellAgain("-Xmx614m", 0, 10, 19);
  }

  private void isWellAgain(String heap, int... models) throws Exception {
    try (ServiceProcess service = start(heap);
        LivenessProbe probe = probe()) {
      for (int number : models) {
        assertThat(predicted(number)).isIn(200, 404, 422, 503);
      }
      isWell(service, probe);
    }
  }

  @Test
  void leaveLeadershipAndWatchesAliveWhereTheHeapIsSmallAlsoAfterARestart() throws Exception {
    try (FakeApiServer cluster = new FakeApiServer(folder);
        ServiceProcess service =
            start(
                "-Xmx320m",
                "-Dcotenant.kubernetes.enabled=true",
                "-Dcotenant.kubernetes.kubeconfig=" + cluster.kubeconfig(folder, "t"));
        LivenessProbe probe = probe()) {
      for (int number : IntStream.range(0, 9).toArray()) {
        put(number);
      }
      isWell(service, probe);
      assertThat(restarts())
          .anyMatch(line -> line.contains("leadership"))
          .anyMatch(line -> line.contains("watch-pods"));
    }
    isWellAgain("-Xmx320m", 0, 8);
  }
}
