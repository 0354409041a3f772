package dev.cotenant.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.domain.testing.FreePort;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What only the packaged service as a process shows: how it starts, fails, streams and binds. */
class ServiceProcessIT {
  private static final String TOKEN = "0123456789abcdef-token";
  private static final long TOO_LARGE_BYTES = 300_000_000;

  @TempDir Path data;

  private List<String> options(int port, String... more) throws IOException {
    return Stream.concat(
            Stream.of(
                "-XX:TieredStopAtLevel=1",
                "-Dquarkus.http.port=" + port,
                "-Dcotenant.webhook.port=0",
                "-Dcotenant.data.directory=" + data,
                "-Dcotenant.cluster.recorded=service/src/test/resources/cluster.json"),
            Stream.of(more))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cotenant.cluster.recorded=/none.json",
        "cotenant.models.directory=/none",
        "cotenant.policy.limits.tenants=0",
        "cotenant.policy.limits.slowdown=much",
        "cotenant.unknown=1",
        "cotenant.webhook.host=203.0.113.1", // a documentation address [RFC 5737]
      })
  void endsWithOneClearErrorWhenItCannotStart(String option)
      throws IOException, InterruptedException {
    try (ServiceProcess service = ServiceProcess.start(options(FreePort.find(), "-D" + option))) {
      String output = service.outputToEnd();
      assertThat(service.exitCode()).as(output).isEqualTo(1);
      assertThat(output).doesNotContain("\tat ");
      assertThat(output.lines().filter(line -> line.contains("cotenant.") || line.contains("none")))
          .hasSize(1);
    }
  }

  @Test
  void doesNotTrustLoopbackInAPodThatListensElsewhere() throws IOException, InterruptedException {
    Map<String, String> pod =
        Map.of("KUBERNETES_SERVICE_HOST", "10.96.0.1", "QUARKUS_HTTP_HOST", "0.0.0.0");
    try (ServiceProcess service = ServiceProcess.start(List.of(), pod, options(FreePort.find()))) {
      String output = service.outputToEnd();
      assertThat(service.exitCode()).as(output).isEqualTo(1);
      assertThat(output.lines().filter(line -> line.contains("cotenant.rest.trust-loopback")))
          .hasSize(1);
    }
  }

  @Test
  void asksEveryCallerForTheTokenWhereLoopbackIsNotTrusted()
      throws IOException, InterruptedException {
    int port = FreePort.find();
    try (ServiceProcess service =
        ServiceProcess.start(
            options(
                port,
                "-Dcotenant.rest.trust-loopback=false",
                "-Dquarkus.swagger-ui.enabled=false",
                "-Dcotenant.rest.token=" + TOKEN))) {
      service.awaitReady(port);
      String base = "http://127.0.0.1:" + port;
      assertThat(status(base + "/v1/gpus", "none")).isEqualTo(401);
      assertThat(status(base + "/v1/gpus", "Bearer " + TOKEN)).isEqualTo(200);
      assertThat(status(base + "/q/health/ready", "none")).isEqualTo(200);
      assertThat(status(base + "/q/openapi", "none")).isEqualTo(200);
      assertThat(status(base + "/q/swagger-ui/", "none")).isEqualTo(404);
      assertThat(location(base + "/api")).as("the page's link").isEqualTo("q/openapi");
    }
  }

  /** Files that may grow no further fail as those on a full disk do. */
  @Test
  void saysThatAModelCannotBeStoredWhereTheDiskIsFull() throws IOException, InterruptedException {
    int port = FreePort.find();
    List<String> limited = List.of("bash", "-c", "ulimit -f 8192; exec \"$@\"", "limited");
    try (ServiceProcess service = ServiceProcess.start(limited, Map.of(), options(port))) {
      service.awaitReady(port);
      HttpRequest tooMuch =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/models/x"))
              .header("Content-Type", "application/octet-stream")
              .PUT(HttpRequest.BodyPublishers.ofByteArray(new byte[16 << 20]))
              .build();
      HttpResponse<String> response =
          HttpClient.newHttpClient().send(tooMuch, HttpResponse.BodyHandlers.ofString());
      assertThat(response.statusCode()).as(response.body()).isEqualTo(503);
      assertThat(response.body()).contains("store-unavailable", "Uploads cannot be stored in");
      assertThat(response.headers().firstValue("retry-after")).isPresent();
      try (Stream<Path> left = Files.list(data.resolve("uploads"))) {
        assertThat(left).isEmpty();
      }
    }
  }

  @Test
  void refusesALargeUploadWithoutHoldingItInMemoryAndWritesAJsonObjectALine()
      throws IOException, InterruptedException {
    int port = FreePort.find();
    try (ServiceProcess service =
        ServiceProcess.start(options(port, "-Dcotenant.log.format=json"))) {
      service.awaitReady(port);
      assertThat(service.output().lines())
          .isNotEmpty()
          .allSatisfy(
              line -> assertThat(new ObjectMapper().readTree(line).has("message")).isTrue());
      URI uri = URI.create("http://127.0.0.1:" + port + "/v1/predictions?device=a100-40gb");
      HttpRequest announced =
          HttpRequest.newBuilder(uri)
              .header("Content-Type", "application/octet-stream")
              .POST(
                  HttpRequest.BodyPublishers.fromPublisher(
                      HttpRequest.BodyPublishers.ofInputStream(ServiceProcessIT::zeros),
                      TOO_LARGE_BYTES))
              .build();
      HttpRequest chunked =
          HttpRequest.newBuilder(uri)
              .header("Content-Type", "application/octet-stream")
              .POST(HttpRequest.BodyPublishers.ofInputStream(ServiceProcessIT::zeros))
              .build();
      for (HttpRequest request : List.of(announced, chunked)) {
        HttpResponse<String> response =
            HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(413);
        assertThat(response.body()).contains("upload-too-large");
      }
      try (Stream<Path> left = Files.list(data.resolve("uploads"))) {
        assertThat(left).isEmpty();
      }
      service.awaitReady(port);
    }
  }

  @Test
  void asksCallersOffThisMachineForTheToken() throws IOException, InterruptedException {
    Optional<InetAddress> address = otherAddress();
    Assumptions.assumeTrue(address.isPresent(), "this machine has no address but loopback");
    int port = FreePort.find();
    try (ServiceProcess service =
        ServiceProcess.start(
            options(port, "-Dquarkus.http.host=0.0.0.0", "-Dcotenant.rest.token=" + TOKEN))) {
      service.awaitReady(port);
      String base = "http://" + address.orElseThrow().getHostAddress() + ":" + port;
      assertThat(status(base + "/v1/gpus", "none")).isEqualTo(401);
      assertThat(status(base + "/v1/gpus", "Bearer wrong")).isEqualTo(401);
      assertThat(status(base + "//v1/gpus", "none")).isIn(401, 404);
      assertThat(status(base + "/v1/../v1/gpus", "none")).isIn(401, 404);
      assertThat(status(base + "/v1/gpus", "Bearer " + TOKEN)).isEqualTo(200);
      assertThat(status(base + "/q/health/ready", "none")).isEqualTo(200);
      assertThat(status(base + "/q/metrics", "none")).isEqualTo(200);
      assertThat(status("http://127.0.0.1:" + port + "/v1/gpus", "none")).isEqualTo(401);
      assertThat(status("http://127.0.0.1:" + port + "/v1/gpus", null)).isEqualTo(200);
    }
  }

  private static int status(String uri, @Nullable String authorization)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(uri));
    if (authorization != null) {
      request.header("Authorization", authorization);
    }
    return HttpClient.newHttpClient()
        .send(request.build(), HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  private static String location(String uri) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(uri)).build(), HttpResponse.BodyHandlers.discarding())
        .headers()
        .firstValue("Location")
        .orElseThrow();
  }

  private static Optional<InetAddress> otherAddress() throws IOException {
    return NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .filter(address -> address instanceof java.net.Inet4Address)
        .filter(address -> !address.isLoopbackAddress())
        .findFirst();
  }

  /** 300 MB of zeros that are made while they are read. */
  private static InputStream zeros() {
    byte[] chunk = new byte[1 << 16];
    return new InputStream() {
      private long left = TOO_LARGE_BYTES;

      @Override
      public int read() {
        return left-- > 0 ? 0 : -1;
      }

      @Override
      public int read(byte[] into, int offset, int length) {
        if (left <= 0) {
          return -1;
        }
        int count =
            new ByteArrayInputStream(chunk)
                .read(into, offset, (int) Math.min(Math.min(length, chunk.length), left));
        left -= count;
        return count;
      }
    };
  }
}
