package dev.cotenant.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The packaged service under a steady mix of calls: its heap, threads, descriptors, memory and
 * database do not grow over time.
 *
 * <p>{@code -Dcotenant.soak.seconds=3600} sets how long. Short runs show that it answers; trends
 * are judged from ten minutes on, without the first third, in which caches fill.
 */
@Tag("long")
class SoakIT {
  private static final long SECONDS = Long.getLong("cotenant.soak.seconds", 20);
  private static final long JUDGED_FROM = 600;
  private static final int SAMPLES = 180;
  private static final Duration PAUSE = Duration.ofMillis(20);

  /** A trend within this share of the mean an hour, or within its own error, is none. */
  private static final double NOISE_PER_HOUR = 0.10;

  private static final String MODEL =
      "{\"model\":\"resnet18\",\"device\":\"a100-40gb\",\"batch_size\":8}";

  @TempDir private Path data;
  private final HttpClient client = HttpClient.newHttpClient();
  private final Map<String, List<double[]>> series = new LinkedHashMap<>();
  private String base = "";
  private int calls;

  @Test
  void growsInNothing() throws Exception {
    int port = freePort();
    base = "http://127.0.0.1:" + port;
    try (ServiceProcess service =
        ServiceProcess.start(
            List.of(
                "-Dquarkus.http.port=" + port,
                "-Dcotenant.webhook.port=0",
                "-Dcotenant.data.directory=" + data,
                "-Dcotenant.cluster.recorded=examples/clusters/empty.json"))) {
      service.awaitReady(port);
      long begin = System.nanoTime();
      double next = 0;
      for (double at = 0; at < SECONDS; at = seconds(begin)) {
        mix();
        if (at >= next) {
          sample(at, service.pid());
          next = at + (double) SECONDS / SAMPLES;
        }
        Thread.sleep(PAUSE);
      }
      assertThat(service.isAlive()).isTrue();
    }
    report();
  }

  private static double seconds(long begin) {
    return (System.nanoTime() - begin) / 1e9;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /** One of each kind; the same every time. */
  private void mix() throws IOException, InterruptedException {
    expect(200, post("/v1/predictions", MODEL));
    expect(200, request("/v1/gpus").GET());
    expect(200, request("/v1/models").GET());
    expect(404, request("/v1/models/none").GET());
    byte[] model =
        Files.readAllBytes(RunningService.root().resolve("examples/models/resnet18.onnx"));
    expect(
        200,
        request("/v1/models/soak")
            .header("Content-Type", "application/octet-stream")
            .header("If-Match", "*")
            .PUT(BodyPublishers.ofByteArray(model)),
        412);
    HttpResponse<String> reserved =
        send(
            post(
                    "/v1/reservations",
                    "{\"workload\":{\"namespace\":\"team-a\",\"name\":\"p\",\"model\":\"resnet18\"}}")
                .header("Idempotency-Key", UUID.randomUUID().toString()));
    assertThat(reserved.statusCode()).as(reserved.body()).isBetween(200, 499);
    expect(200, request("/q/health/live").GET());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(base + path)).timeout(Duration.ofMinutes(1));
  }

  private HttpRequest.Builder post(String path, String json) {
    return request(path)
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(json));
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    calls++;
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private void expect(int status, HttpRequest.Builder request, int... others)
      throws IOException, InterruptedException {
    HttpResponse<String> response = send(request);
    List<Integer> right = new ArrayList<>(List.of(status));
    for (int other : others) {
      right.add(other);
    }
    assertThat(right).as("%s", response.body()).contains(response.statusCode());
  }

  private void sample(double at, long pid) throws IOException, InterruptedException {
    String metrics = send(request("/q/metrics").GET()).body();
    add("heap, bytes", at, sum(metrics, "jvm_memory_used_bytes{area=\"heap\""));
    add("threads", at, sum(metrics, "jvm_threads_live_threads"));
    add("descriptors", at, sum(metrics, "process_files_open_files"));
    add("series", at, (double) metrics.lines().filter(line -> !line.startsWith("#")).count());
    try (Stream<String> status = Files.lines(Path.of("/proc/" + pid + "/status"))) {
      status
          .filter(line -> line.startsWith("VmRSS:"))
          .map(line -> Double.parseDouble(line.replaceAll("[^0-9]", "")) * 1024)
          .forEach(rss -> add("resident, bytes", at, rss));
    }
    try (Stream<Path> files = Files.walk(data)) {
      double bytes = 0;
      for (Path file : files.filter(one -> one.toString().endsWith(".db")).toList()) {
        bytes += Files.size(file);
      }
      add("database, bytes", at, bytes);
    }
  }

  private static double sum(String metrics, String name) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private void add(String name, double at, double value) {
    series.computeIfAbsent(name, _ -> new ArrayList<>()).add(new double[] {at, value});
  }

  private void report() {
    System.out.printf("%d calls in %d s%n", calls, SECONDS);
    System.out.printf("%-16s %14s %16s %14s%n", "what", "mean", "slope per hour", "its error");
    series.forEach((name, all) -> {
      List<double[]> late = all.subList(all.size() / 3, all.size());
      double mean = late.stream().mapToDouble(one -> one[1]).average().orElse(0);
      Trend trend = Trend.of(late);
      System.out.printf(
          "%-16s %14.0f %16.1f %14.1f%n", name, mean, trend.slope() * 3_600, trend.error() * 3_600);
      if (SECONDS >= JUDGED_FROM) {
        assertThat(trend.slope() * 3_600)
            .as("growth of %s in an hour", name)
            .isLessThanOrEqualTo(Math.max(NOISE_PER_HOUR * mean, 3 * trend.error() * 3_600));
      }
    });
  }

  /** A line by least squares, and the standard error of its slope. */
  private record Trend(double slope, double error) {
    static Trend of(List<double[]> points) {
      double x = points.stream().mapToDouble(one -> one[0]).average().orElse(0);
      double y = points.stream().mapToDouble(one -> one[1]).average().orElse(0);
      double xx = points.stream().mapToDouble(one -> (one[0] - x) * (one[0] - x)).sum();
      double xy = points.stream().mapToDouble(one -> (one[0] - x) * (one[1] - y)).sum();
      double slope = xx == 0 ? 0 : xy / xx;
      double rest =
          points.stream().mapToDouble(one -> Math.pow(one[1] - y - slope * (one[0] - x), 2)).sum();
      double error = points.size() < 3 || xx == 0 ? 0 : Math.sqrt(rest / (points.size() - 2) / xx);
      return new Trend(slope, error);
    }
  }
}
