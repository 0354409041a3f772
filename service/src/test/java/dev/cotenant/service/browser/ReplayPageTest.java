package dev.cotenant.service.browser;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.startsWith;

import dev.cotenant.domain.testing.GeneratedHistory;
import dev.cotenant.domain.testing.RealPrometheus;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.replay.ReplayStore;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Replays of a real metrics server's history, over REST and on the page. */
@QuarkusTest
@TestProfile(ReplayPageTest.OnHistory.class)
class ReplayPageTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration DAY = Duration.ofDays(1);
  private static final int GPUS = 12;

  /** A service with a Prometheus that has a day of twelve GPUs. */
  public static final class OnHistory extends RunningService {
    @Override
    public List<TestResourceEntry> testResources() {
      return List.of(new TestResourceEntry(History.class));
    }
  }

  /** The server. */
  public static final class History implements QuarkusTestResourceLifecycleManager {
    private @Nullable RealPrometheus server;

    @Override
    public Map<String, String> start() {
      try {
        Path folder = Files.createTempDirectory("history");
        RealPrometheus started =
            RealPrometheus.start(folder, history().write(folder.resolve("history.om")));
        server = started;
        return Map.of("cotenant.prometheus.url", started.url().toString());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void stop() {
      if (server != null) {
        try {
          server.close();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  @Inject ReplayStore stored;

  @TestHTTPResource("/")
  private String page = "";

  private static GeneratedHistory history() {
    long step = GeneratedHistory.step().toSeconds();
    Instant end = Instant.ofEpochSecond(Instant.now().getEpochSecond() / step * step);
    return new GeneratedHistory(end, DAY, GPUS);
  }

  private static ValidatableResponse start(String body) {
    return given().contentType("application/json").body(body).post("/v1/what-if").then();
  }

  private static void awaitTheEnd() throws InterruptedException {
    Instant end = Instant.now().plus(PATIENCE);
    while (given().get("/v1/what-if").path("state").equals("running")) {
      assertThat(Instant.now()).as("waiting for the replay").isBefore(end);
      Thread.sleep(200);
    }
  }

  @Test
  void replaysTheHistoryOverRestAndShowsItOnThePage() throws Exception {
    start("{\"hours\": 24, \"step_seconds\": 120, \"price_per_gpu_hour\": 2}")
        .statusCode(202)
        .header("Location", containsString("/v1/what-if"));
    awaitTheEnd();
    given()
        .get("/v1/what-if")
        .then()
        .statusCode(200)
        .body("state", equalTo("finished"))
        .body("by", equalTo("local"))
        .body("hours", equalTo(24))
        .body("price_per_gpu_hour", equalTo(2.0f))
        .body("recording.jobs", equalTo(history().pods().size()))
        .body("recording.gpus", equalTo(GPUS))
        .body("recording.duration_measured_percent", equalTo(100.0f))
        .body("policies.size()", equalTo(6))
        .body("policies[0].policy", equalTo("exclusive"))
        .body("policies[0].containsKey('money_saved_lowest')", equalTo(true))
        .body("policies[0].containsKey('gpu_hours_saved_highest')", equalTo(true))
        .body("recording.recorded_longest_wait_seconds", equalTo(60.0f))
        .body("recording.answer", startsWith("decide saves "))
        .body(
            "recording.answer", containsString(" at 2.00 an hour); at the busiest moment it uses "))
        .body("policies.find { it.policy == 'oracle' }.slowed_jobs", equalTo(0.0f));
    float saved =
        given().get("/v1/what-if").path("policies.find { it.policy == 'decide' }.gpu_hours_saved");
    assertThat(saved).isPositive();

    try (DevTools shown = DevTools.open(page + "#/what-if", 1280, 900)) {
      shown.awaitText("sharing under the limits in force would have saved ");
      assertThat(shown.text())
          .contains("The newest run", " on this machine over 24 h at 2.00 ")
          .contains("money saved", "longest", "slowed > 15 %")
          .doesNotContain("The run below has other", "profile-once", "Ranges are over", ",.");
      shown.evaluate("document.querySelectorAll('main details').forEach(one => one.open = true)");
      assertThat(shown.text())
          .contains("GPU hours on " + GPUS + " GPUs", "profile-once", "Ranges are over")
          .contains("one job a GPU, by arrival", "gpushare saves more, and slows ")
          .contains("off by two thirds of that, up or down");
      assertThat(
              shown
                  .evaluate(
                      "[...document.querySelectorAll('form input')].map(one => one.value +"
                          + " one.placeholder).join()")
                  .asText())
          .isEqualTo("168,,now 100,now 5,now 3,now 1.15");
      shown.go(page + "#/what-if?hours=48");
      shown.awaitText("The run below has other");
      assertThat(shown.complaints()).isEmpty();
    }
  }

  /** "What would a policy change have done last week?" */
  @Test
  void comparesOtherLimitsWithThoseInForceAndKeepsTheAddressOfTheQuestion() throws Exception {
    try (DevTools shown = PictureSheet.window()) {
      shown.go(page + "#/what-if?hours=24&price=2&utilization=60&tenants=2");
      shown.awaitText("Changed limits; an empty field keeps");
      shown.evaluate(
          "[...document.querySelectorAll('button')].find(one => one.textContent === 'Replay')"
              + ".click()");
      shown.awaitText("than under the limits in force");
      assertThat(shown.text())
          .contains("utilization limit 100 → 60 %; tenants on a GPU 3 → 2", "out of memory: ");
      PictureSheet sheet = new PictureSheet("what-if");
      sheet.addAll(shown, () -> shown.awaitText("than under the limits in force"));
      sheet.check();
      Readers.read(shown, "#/what-if");
      assertThat(shown.complaints()).isEmpty();
    }
    given()
        .get("/v1/what-if")
        .then()
        .body("limits.utilization_percent", equalTo(100.0f))
        .body("changed.limits.utilization_percent", equalTo(60.0f))
        .body("changed.limits.tenants", equalTo(2))
        .body("changed.limits.slowdown", equalTo(1.15f))
        .body("changed.policies.policy", equalTo(List.of("exclusive", "decide")))
        .body("changed.answer", startsWith("decide saves "));
    assertThat(stored.newest()).isPresent();
    assertThat(stored.newest().orElseThrow()).contains("\"changed\"");
  }

  @Test
  void enterReplaysAndSaysWhatIsOutOfRange() throws Exception {
    try (DevTools shown = DevTools.open(page + "#/what-if?price=2&hours=1000", 1280, 900)) {
      shown.await("document.querySelector('form input')");
      shown.evaluate("document.getElementById('replay-price').focus(), true");
      enter(shown);
      shown.awaitText("Hours until now must be 1 to 744.");
      shown.evaluate("location.hash = '#/what-if?price=2&slowdown=1.3', true");
      shown.await("document.getElementById('replay-hours').value === ''");
      shown.evaluate("document.getElementById('replay-slowdown').focus(), true");
      enter(shown);
      shown.awaitText("slowdown limit 1.15 → 1.3");
      assertThat(shown.text()).doesNotContain("NaN");
      assertThat(shown.complaints()).isEmpty();
    }
  }

  private static void enter(DevTools page) throws Exception {
    page.command(
        "Input.dispatchKeyEvent",
        Map.of("type", "keyDown", "key", "Enter", "windowsVirtualKeyCode", 13, "text", "\r"));
  }

  @Test
  void refusesWhatIsOutOfRange() {
    start("{\"limits\": {\"tenants\": 0}}")
        .statusCode(400)
        .body("detail", containsString("'limits.tenants' must be 1 to 48, is 0"));
    start("{\"limits\": {\"utilization_percent\": 1001}}").statusCode(400);
    start("{\"limits\": {\"slowdown\": 0.9}}").statusCode(400);
    start("{\"limits\": {\"memory_headroom_percent\": -1}}").statusCode(400);
    start("{\"limits\": {\"risk\": 1}}").statusCode(400).body("code", equalTo("unexpected-json"));
    start("{\"hours\": 0}").statusCode(400).body("code", equalTo("bad-replay"));
    start("{\"hours\": 745}").statusCode(400).body("detail", containsString("1 to 744"));
    start("{\"step_seconds\": 0}").statusCode(400);
    start("{\"hours\": 744, \"step_seconds\": 29}")
        .statusCode(400)
        .body("detail", containsString("at most 89280 steps"));
    start("{\"price_per_gpu_hour\": -1}").statusCode(400);
    start("{\"weeks\": 1}").statusCode(400).body("code", equalTo("unexpected-json"));
    start("").statusCode(400);
  }
}
