package dev.cotenant.service.cluster;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItems;

import dev.cotenant.service.RunningService;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The service on a live server: answers, silence, recovery. */
@QuarkusTest
@TestProfile(LiveMetricsTest.OnPrometheus.class)
class LiveMetricsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** A service that reads a server, impatiently. */
  public static final class OnPrometheus extends RunningService {
    @Override
    public Map<String, String> getConfigOverrides() {
      Map<String, String> configuration = new HashMap<>(super.getConfigOverrides());
      configuration.put("cotenant.prometheus.url", new MetricsServer().url());
      configuration.put("cotenant.prometheus.refresh-interval", "200ms");
      configuration.put("cotenant.prometheus.request-timeout", "1s");
      configuration.put("cotenant.metrics.max-age", "3s");
      return configuration;
    }
  }

  @AfterEach
  void answerAgain() throws InterruptedException {
    become(MetricsServer.Mood.ANSWERS);
    await("fresh");
  }

  private static void become(MetricsServer.Mood mood) {
    String url = ConfigProvider.getConfig().getValue("cotenant.prometheus.url", String.class);
    given().get(url + MetricsServer.MOOD + mood).then().statusCode(200);
  }

  private static String metrics() {
    return given().get("/v1/gpus").then().statusCode(200).extract().path("gpus[0].metrics");
  }

  private static void await(String state) throws InterruptedException {
    Instant end = Instant.now().plus(PATIENCE);
    while (!metrics().equals(state)) {
      assertThat(Instant.now()).as("waiting for " + state).isBefore(end);
      Thread.sleep(100);
    }
  }

  @Test
  void showsAndForecastsLiveGpus() {
    given()
        .get("/v1/gpus")
        .then()
        .body("source", equalTo("prometheus"))
        .body("gpus[0].uuid", equalTo("GPU-live"));
    given()
        .get("/v1/gpus/GPU-live/forecast")
        .then()
        .statusCode(200)
        .body("capacity_bytes", equalTo(15_000 * 1024L * 1024))
        .body("forecasts[0].estimator", equalTo("peak-bound"))
        .body("forecasts.estimator", hasItems("agnostic", "cbp", "pp"));
    given()
        .get("/q/metrics")
        .then()
        .body(containsString("cotenant_gpu_memory_sample_age_seconds{gpu=\"GPU-live\"}"));
    assertThat(gauge("cotenant_gpu_memory_capacity_bytes")).isEqualTo(15_000 * 1024.0 * 1024);
    assertThat(gauge("cotenant_gpu_memory_forecast_upper_bytes"))
        .isBetween(
            gauge("cotenant_gpu_memory_used_bytes"), gauge("cotenant_gpu_memory_capacity_bytes"));
    assertThat(gauge("cotenant_gpu_memory_forecast_age_seconds")).isBetween(0.0, 3.0);
  }

  /** The gauge of the one GPU. */
  private static double gauge(String name) {
    String prefix = name + "{gpu=\"GPU-live\"} ";
    return given()
        .get("/q/metrics")
        .asString()
        .lines()
        .filter(line -> line.startsWith(prefix))
        .mapToDouble(line -> Double.parseDouble(line.substring(prefix.length())))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void growsStaleWhileTheServerFailsAndRecoversByItself() throws InterruptedException {
    become(MetricsServer.Mood.FAILS);
    await("stale");
    assertThat(gauge("cotenant_gpu_memory_forecast_upper_bytes")).isNaN();
    assertThat(gauge("cotenant_gpu_memory_forecast_age_seconds")).isNaN();
    assertThat(gauge("cotenant_gpu_memory_sample_age_seconds")).isGreaterThan(3);
  }

  @Test
  void answersAtOnceWhileTheServerHangs() throws InterruptedException {
    become(MetricsServer.Mood.HANGS);
    await("stale"); // each of these requests is answered while a refresh waits
  }
}
