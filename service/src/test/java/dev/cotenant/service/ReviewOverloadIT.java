package dev.cotenant.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.service.ReviewLoad.Outcome;
import dev.cotenant.service.ReviewLoad.Result;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Three times the reviews that the packaged service can answer. All figures are shares of what it
 * answered in the same run, with the load on the same cores; benchmarks/overload measures on cores
 * of their own. Before load was shed, 0.2 % of the capacity was answered, and 4 % of the reviews
 * afterwards.
 */
@Tag("long")
@EnabledOnOs(OS.LINUX)
class ReviewOverloadIT {
  private static final int REVIEWS = 32;
  private static final int CONNECTIONS = 200;
  private static final Duration PHASE = Duration.ofSeconds(8);
  private static final Duration RECOVERY = Duration.ofSeconds(5);

  @TempDir Path data;

  @ParameterizedTest
  @ValueSource(strings = {"immediate", "enforce"})
  void answersMostOfItsCapacityRefusesTheRestAtOnceAndIsNormalAfterwards(String mode)
      throws Exception {
    int http = freePort();
    int https = freePort();
    try (ServiceProcess service = start(http, https, mode)) {
      service.awaitReady(http);
      ReviewLoad load = new ReviewLoad(https);
      load.connect(CONNECTIONS);
      double warm = load.closedLoop(REVIEWS, PHASE.multipliedBy(2));
      double before = load.closedLoop(REVIEWS, PHASE);
      Collection<Result> overload = load.openLoop(3 * before, PHASE);
      Thread.sleep(RECOVERY);
      load.connect(CONNECTIONS);
      Collection<Result> normal = load.openLoop(0.3 * before, PHASE);
      double after = load.closedLoop(REVIEWS, PHASE);
      double capacity = Math.min(before, after);

      System.out.printf(
          "mode %s: %.0f, %.0f and %.0f reviews a second; of 3 times that %.0f answered within 1 s;"
              + " refused %d, %d of them at once; not sent %d; 5 s later %.0f %%%n",
          mode,
          warm,
          before,
          after,
          inTime(overload),
          count(overload, Outcome.REFUSED),
          overload.stream().filter(one -> one.is(Outcome.REFUSED)).count(),
          count(overload, Outcome.NOT_SENT),
          100.0 * normal.stream().filter(one -> one.is(Outcome.ANSWERED)).count() / normal.size());
      assertThat(inTime(overload)).isGreaterThan(0.9 * capacity);
      assertThat(overload.stream().filter(one -> one.is(Outcome.REFUSED)).count())
          .as("refused at once")
          .isGreaterThan((long) (0.95 * count(overload, Outcome.REFUSED)));
      assertThat(shed(http)).isPositive();
      assertThat(normal.stream().filter(one -> one.is(Outcome.ANSWERED)).count())
          .isGreaterThan((long) (0.95 * normal.size()));
    }
  }

  private ServiceProcess start(int http, int https, String mode) throws IOException {
    return ServiceProcess.start(
        List.of("taskset", "-c", "0"),
        Map.of(),
        List.of(
            "-Xmx614m",
            "-XX:+UseSerialGC",
            "-Dquarkus.http.port=" + http,
            "-Dcotenant.webhook.port=" + https,
            "-Dcotenant.data.directory=" + data,
            "-Dcotenant.policy.mode=" + mode,
            "-Dcotenant.cluster.recorded=service/src/test/resources/cluster.json"));
  }

  private static double inTime(Collection<Result> results) {
    return results.stream().filter(one -> one.is(Outcome.ANSWERED)).count()
        / (double) PHASE.toSeconds();
  }

  private static long count(Collection<Result> results, Outcome outcome) {
    return results.stream().filter(one -> one.outcome() == outcome).count();
  }

  private static double shed(int http) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + http + "/q/metrics")).build(),
              HttpResponse.BodyHandlers.ofString())
          .body()
          .lines()
          .filter(line -> line.startsWith("cotenant_server_shed_total"))
          .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
          .sum();
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
