package dev.cotenant.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.domain.testing.FreePort;
import dev.cotenant.service.webhook.WebhookClient;
import java.io.BufferedReader;
import java.io.IOException;
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
 * The packaged service under a steady mix of calls: what its collector leaves of the heap, threads,
 * descriptors, memory and database do not grow over time.
 *
 * <p>{@code -Dcotenant.soak.seconds=3600} sets how long. Short runs show that it answers; trends
 * are judged from ten minutes on, without the first third, in which caches fill: a slope above
 * three of its errors is growth.
 */
@Tag("long")
class SoakIT {
  private static final long SECONDS = Long.getLong("cotenant.soak.seconds", 20);
  private static final long JUDGED_FROM = 600;
  private static final int SAMPLES = 180;
  private static final Duration PAUSE = Duration.ofMillis(20);

  /**
   * Samples next to each other are alike, so a trend and its error are those of means of blocks.
   */
  private static final int BLOCKS = 12;

  private static final double ERRORS = 3;

  private static final String MODEL =
      "{\"model\":\"resnet18\",\"device\":\"a100-40gb\",\"batch_size\":8}";

  private static final String WORKLOAD =
      "{\"workload\":{\"namespace\":\"team-a\",\"name\":\"p\",\"model\":\"resnet18\"}}";
  private static final String ROW =
      "{\"rows\":[{\"device\":\"a100-40gb\",\"batch_size\":8,\"model\":\"resnet18\","
          + "\"utilization_percent\":40,\"source\":\"soak\"}]}";
  private static final byte[] REVIEW = WebhookClient.review("resnet18", 1);

  @TempDir private Path data;
  private final HttpClient client = HttpClient.newHttpClient();
  private final Map<String, Series> series = new LinkedHashMap<>();
  private String base = "";
  private int calls;

  @Test
  void growsInNothing() throws Exception {
    int port = FreePort.find();
    int https = FreePort.find();
    base = "http://127.0.0.1:" + port;
    try (ServiceProcess service =
        ServiceProcess.start(
            List.of(
                "-Dquarkus.http.port=" + port,
                "-Dcotenant.webhook.port=" + https,
                "-Dcotenant.policy.mode=enforce",
                "-Dcotenant.data.directory=" + data,
                "-Dcotenant.cluster.recorded=examples/clusters/empty.json"))) {
      service.awaitReady(port);
      WebhookClient webhook = new WebhookClient(https);
      long begin = System.nanoTime();
      double next = 0;
      for (double at = 0; at < SECONDS; at = seconds(begin)) {
        mix(webhook);
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

  /** One of each kind; the same every time. */
  private void mix(WebhookClient webhook) throws IOException, InterruptedException {
    expect(200, post("/v1/predictions", MODEL));
    expect(200, post("/v1/decisions", WORKLOAD));
    expect(200, request("/v1/gpus").GET());
    expect(200, request("/v1/models").GET());
    expect(404, request("/v1/models/none").GET());
    expect(200, request("/q/health/live").GET());
    for (String path : List.of("/webhooks/mutate", "/webhooks/validate")) {
      calls++;
      assertThat(webhook.post(path, REVIEW).statusCode()).isEqualTo(200);
    }
    expect(200, post("/v1/profiles", ROW));
    expect(200, request("/v1/profiles?source=local:%20soak").DELETE());
    upload();
    reserve();
  }

  private void upload() throws IOException, InterruptedException {
    byte[] model =
        Files.readAllBytes(RunningService.root().resolve("examples/models/resnet18.onnx"));
    expect(
        200,
        request("/v1/models/soak")
            .header("Content-Type", "application/octet-stream")
            .header("If-Match", "*")
            .PUT(BodyPublishers.ofByteArray(model)),
        412);
  }

  /** Reviews hold GPUs until they expire, so that there may be none to reserve. */
  private void reserve() throws IOException, InterruptedException {
    HttpResponse<String> reserved =
        send(
            post("/v1/reservations", WORKLOAD)
                .header("Idempotency-Key", UUID.randomUUID().toString()));
    assertThat(reserved.statusCode()).as(reserved.body()).isIn(201, 409);
    if (reserved.statusCode() == 201) {
      String id = new ObjectMapper().readTree(reserved.body()).path("id").asText();
      expect(200, request("/v1/reservations/" + id).DELETE());
    }
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
    add("live set, bytes", Allowed.NOISE, at, liveSet(pid));
    add("threads", Allowed.A_FEW, at, sum(metrics, "jvm_threads_live_threads"));
    add("descriptors", Allowed.A_FEW, at, sum(metrics, "process_files_open_files"));
    double lines = metrics.lines().filter(line -> !line.startsWith("#")).count();
    add("series", Allowed.A_FEW, at, lines);
    try (Stream<String> status = Files.lines(Path.of("/proc/" + pid + "/status"))) {
      status
          .filter(line -> line.startsWith("VmRSS:"))
          .map(line -> Double.parseDouble(line.replaceAll("[^0-9]", "")) * 1024)
          .forEach(rss -> add("resident, bytes", Allowed.A_TENTH, at, rss));
    }
    try (Stream<Path> files = Files.walk(data)) {
      double bytes = 0;
      for (Path file : files.filter(one -> one.toString().endsWith(".db")).toList()) {
        bytes += Files.size(file);
      }
      add("database, bytes", Allowed.A_TENTH, at, bytes);
    }
  }

  /** Bytes of the heap that a full collection leaves, counted as it ends. */
  private static double liveSet(long pid) throws IOException {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    ProcessBuilder histogram =
        new ProcessBuilder(jcmd, String.valueOf(pid), "GC.class_histogram")
            .redirectErrorStream(true);
    try (BufferedReader lines = histogram.start().inputReader()) {
      String total =
          lines.lines().filter(line -> line.startsWith("Total")).findFirst().orElseThrow();
      return Double.parseDouble(total.substring(total.lastIndexOf(' ') + 1));
    }
  }

  private static double sum(String metrics, String name) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private void add(String name, Allowed allowed, double at, double value) {
    series
        .computeIfAbsent(name, _ -> new Series(allowed, new ArrayList<>()))
        .points
        .add(new Point(at, value));
  }

  private void report() {
    System.out.printf("%d calls in %d s%n", calls, SECONDS);
    System.out.printf(
        "%-16s %14s %16s %14s %14s%n", "what", "mean", "slope per hour", "its error", "allowed");
    series.forEach((name, all) -> {
      List<Point> late = all.points.subList(all.points.size() / 3, all.points.size());
      double mean = late.stream().mapToDouble(Point::value).average().orElse(0);
      Trend trend = Trend.of(blocks(late));
      double growth = trend.slope() * 3_600;
      double error = trend.error() * 3_600;
      double most = Math.max(ERRORS * error, all.allowed.anHour(mean));
      System.out.printf("%-16s %14.0f %16.1f %14.1f %14.1f%n", name, mean, growth, error, most);
      if (SECONDS >= JUDGED_FROM) {
        assertThat(growth).as("growth of %s in an hour", name).isLessThanOrEqualTo(most);
      }
    });
  }

  private static List<Point> blocks(List<Point> points) {
    List<Point> means = new ArrayList<>();
    for (int block = 0; block < BLOCKS; block++) {
      List<Point> own =
          points.subList(block * points.size() / BLOCKS, (block + 1) * points.size() / BLOCKS);
      if (!own.isEmpty()) {
        means.add(
            new Point(
                own.stream().mapToDouble(Point::at).average().orElseThrow(),
                own.stream().mapToDouble(Point::value).average().orElseThrow()));
      }
    }
    return means;
  }

  private record Series(Allowed allowed, List<Point> points) {}

  private record Point(double at, double value) {}

  /** Growth in an hour that is none although it exceeds the error of the trend. */
  private enum Allowed {
    /** Only the error of the trend. */
    NOISE,
    /** A pool that opens one more, once. */
    A_FEW,
    /** A part of the mean: files that are compacted now and then, and pages not yet touched. */
    A_TENTH;

    double anHour(double mean) {
      return switch (this) {
        case NOISE -> 0;
        case A_FEW -> 4;
        case A_TENTH -> 0.1 * mean;
      };
    }
  }

  /** A line by least squares, and the standard error of its slope. */
  private record Trend(double slope, double error) {
    static Trend of(List<Point> points) {
      double x = points.stream().mapToDouble(Point::at).average().orElse(0);
      double y = points.stream().mapToDouble(Point::value).average().orElse(0);
      double xx = points.stream().mapToDouble(one -> (one.at() - x) * (one.at() - x)).sum();
      double xy = points.stream().mapToDouble(one -> (one.at() - x) * (one.value() - y)).sum();
      double slope = xx == 0 ? 0 : xy / xx;
      double rest =
          points.stream()
              .mapToDouble(one -> Math.pow(one.value() - y - slope * (one.at() - x), 2))
              .sum();
      double error = points.size() < 3 || xx == 0 ? 0 : Math.sqrt(rest / (points.size() - 2) / xx);
      return new Trend(slope, error);
    }
  }
}
