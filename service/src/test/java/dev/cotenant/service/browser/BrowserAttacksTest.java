package dev.cotenant.service.browser;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.rest.ReachedEndpoints;
import dev.cotenant.service.webhook.WebhookServer;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.RestAssured;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Web pages of others against a service that trusts this machine, as on a developer's: every
 * endpoint, by every way in which a page can send a request.
 */
@QuarkusTest
@TestProfile(RunningService.class)
class BrowserAttacksTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> HTTPS_ONLY =
      List.of(
          "POST:/webhooks/mutate",
          "POST:/webhooks/validate",
          "POST:/extender/filter",
          "POST:/extender/prioritize",
          "POST:/extender/bind",
          "POST:/extender/preempt");

  @TempDir Path folder;
  @Inject ReachedEndpoints reached;
  @Inject WebhookServer webhooks;

  /** {@code GET:/v1/gpus}, of every endpoint that the OpenAPI document lists. */
  private static List<String> endpoints() throws IOException {
    List<String> calls = new ArrayList<>();
    byte[] document = given().accept("application/json").get("/q/openapi").asByteArray();
    for (var path : JSON.readTree(document).path("paths").properties()) {
      for (var method : path.getValue().properties()) {
        String filled = path.getKey().replaceAll("\\{[^}]*}", "x");
        calls.add(method.getKey().toUpperCase(Locale.ROOT) + ":" + filled);
      }
    }
    return calls;
  }

  private static double metric(String name) {
    return given()
        .get("/q/metrics")
        .asString()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  /** Reviews that were answered, understood or not, and decisions. */
  private static double reviews() {
    return metric("cotenant_webhook_duration_seconds_count");
  }

  private static JsonNode state() throws IOException {
    return JSON.createArrayNode()
        .add(JSON.readTree(given().get("/v1/trainings").asByteArray()))
        .add(JSON.readTree(given().get("/v1/models").asByteArray()))
        .add(JSON.readTree(given().get("/v1/predictors").asByteArray()).path("promotions"))
        .add(JSON.readTree(given().get("/v1/profiles").asByteArray()));
  }

  /** Another site, and another port of the same site. */
  @ParameterizedTest
  @ValueSource(strings = {"evil.example", "localhost"})
  void reachNoEndpoint(String host) throws IOException {
    List<String> calls = Stream.concat(endpoints().stream(), HTTPS_ONLY.stream()).toList();
    JsonNode state = state();
    long before = reached.count();
    double reviewsBefore = reviews();
    double refusedBefore = metric("http_server_requests_seconds_count{");
    AttackerSite.Report report;
    try (AttackerSite site = new AttackerSite(() -> {})) {
      site.serve("attack.html", "BASES", bases(), "CALLS", String.join(" ", calls));
      try (Chromium _ = Chromium.open(folder, "http://" + host + ":" + site.port() + "/")) {
        report = site.awaitReport();
      }
      assertThat(report.read()).isEmpty();
      assertThat(report.attempts()).isGreaterThan(calls.size() * 10);
    }
    assertThat(reached.count()).as("requests that reached an endpoint").isEqualTo(before);
    assertThat(reviews()).isEqualTo(reviewsBefore);
    assertThat(metric("http_server_requests_seconds_count{"))
        .as("requests that came over HTTP, half of the attempts")
        .isGreaterThanOrEqualTo(refusedBefore + report.attempts() / 2.0);
    assertThat(state()).isEqualTo(state);
  }

  private String bases() {
    return "http://localhost:" + RestAssured.port + " https://localhost:" + webhooks.port();
  }

  @Test
  void reachNothingByANameThatMoves() throws IOException {
    List<String> calls = endpoints();
    long before = reached.count();
    try (MovingName name = new MovingName();
        AttackerSite site = new AttackerSite(() -> name.pointTo(RestAssured.port))) {
      name.pointTo(site.port());
      site.serve(
          "rebind.html",
          "SITE",
          "http://127.0.0.1:" + site.port(),
          "CALLS",
          String.join(" ", calls));
      try (Chromium _ = Chromium.open(folder, "http://rebind.example:" + name.port() + "/")) {
        AttackerSite.Report report = site.awaitReport();
        assertThat(report.read()).isEmpty();
        assertThat(report.attempts()).isEqualTo(calls.size() + 4);
      }
      assertThat(reached.count()).isEqualTo(before);
      // The way was open: called by its own name, the service answers over it.
      given().port(name.port()).get("/v1/gpus").then().statusCode(200);
    }
  }

  @Test
  void leaveThePageOfTheServiceAlone() throws Exception {
    long before = reached.count();
    try (DevTools page =
        DevTools.open("http://localhost:" + RestAssured.port + "/#/gpus", 1280, 900)) {
      page.awaitText("gpu-1");
      page.awaitText("GiB");
      assertThat(page.text()).doesNotContain("cross-origin-request");
    }
    assertThat(reached.count()).isGreaterThan(before);
  }
}
