package dev.cotenant.service.browser;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.cluster.MetricsServer;
import dev.cotenant.service.webhook.WebhookClient;
import dev.cotenant.service.webhook.WebhookServer;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every view of a cluster whose metrics are read. */
@QuarkusTest
@TestProfile(LivePageTest.OnPrometheus.class)
class LivePageTest {
  private static final String POD = "#/pods/team-a/train";

  private static final String FLEET =
      """
      {"devices": [{"id": "v100"}],
       "workloads": [
         {"name": "search", "profile": "resnet50", "slo_latency_ms": 40,
          "request_rate_per_second": 430, "metrics": {"source": "triton"}},
         {"name": "photos", "profile": "vgg19", "slo_latency_ms": 60,
          "request_rate_per_second": 430, "metrics": {"source": "triton"}}]}
      """;

  @Inject WebhookServer webhooks;

  @TestHTTPResource("/")
  private String address = "";

  /** A service that reads a metrics server. */
  public static final class OnPrometheus extends RunningService {
    @Override
    public Map<String, String> getConfigOverrides() {
      Map<String, String> configuration = super.getConfigOverrides();
      configuration.put("cotenant.prometheus.url", new MetricsServer().url());
      configuration.put("cotenant.prometheus.refresh-interval", "200ms");
      configuration.put("cotenant.devices.prices", "t4=0.35,a100-40gb=2.9");
      configuration.put("cotenant.devices.currency", "EUR");
      return configuration;
    }
  }

  /** Addresses of the views, each with a text that it shows. */
  private static final Map<String, String> VIEWS =
      Map.ofEntries(
          Map.entry("#/", "used by others"),
          Map.entry("#/gpus", "1 of 1 GPUs"),
          Map.entry("#/gpus/GPU-live", "by processes without a grant"),
          Map.entry("#/pods", "With a grant"),
          Map.entry("#/evidence", "Stated level"),
          Map.entry("#/predictors", "Registered models"),
          Map.entry("#/services", "photos"),
          Map.entry("#/right-sizing", "StatefulSet/embed"),
          Map.entry("#/what-if", "No replay yet"),
          Map.entry("#/plans", "Stored service profiles"),
          Map.entry(POD, "Request"));

  /** The pod is last: its grant would be in the others. */
  static Stream<Arguments> views() {
    return VIEWS.entrySet().stream()
        .sorted(Map.Entry.comparingByKey(Comparator.comparing((String view) -> view.equals(POD))))
        .map(view -> Arguments.of(view.getKey(), view.getValue()));
  }

  @Test
  void noViewIsLeftOut() throws IOException {
    Routes.areAllAmong(VIEWS.keySet());
  }

  private static void watchAFleet() {
    given()
        .contentType("application/json")
        .body(FLEET)
        .post("/v1/fleets?name=shop")
        .then()
        .statusCode(200);
  }

  private static @Nullable String decidedAt() {
    return given().get("/v1/fleets").then().statusCode(200).extract().path("fleets[0].decided_at");
  }

  @ParameterizedTest
  @MethodSource("views")
  void everyViewIsLiveForEveryReaderAtEveryWidth(String view, String text) throws Exception {
    if (view.equals(POD)) {
      new WebhookClient(webhooks.port())
          .post("/webhooks/mutate", WebhookClient.review("resnet18", 1));
    }
    if (view.equals("#/services")) {
      watchAFleet();
    }
    try (DevTools page = DevTools.open(address + view, 1280, 900)) {
      page.awaitText(text);
      page.awaitText(", read at ");
      assertThat(page.text())
          .contains("http://127.0.0.1:")
          .doesNotContain("recorded cluster", "memory, next");
      String before = page.evaluate("document.getElementById('state').textContent").asText();
      Readers.read(page, view);
      Readers.reachEverything(page, view);
      page.await("document.getElementById('state').textContent !== '" + before + "'");
      assertThat(page.complaints()).isEmpty();
    }
  }

  @Test
  void whatARecommendationFreesIsWorthThePriceOfItsProduct() throws Exception {
    List<Float> worth =
        given()
            .get("/v1/recommendations?days=3")
            .then()
            .statusCode(200)
            .extract()
            .path("workloads.findAll { it.freed_bytes > 0 }.money_per_hour");
    assertThat(worth).isNotEmpty().allSatisfy(money -> assertThat(money).isBetween(0f, 0.35f * 2));
    try (DevTools page = DevTools.open(address + "#/right-sizing", 1280, 900)) {
      page.awaitText("worth an hour, EUR");
      assertThat(page.complaints()).isEmpty();
    }
  }

  @Test
  void rowsOfServicesAndRecommendationsLookAsTheyDid() throws Exception {
    watchAFleet();
    Eventually.holds("it is decided", () -> decidedAt() != null); // or the page looks 10 s later
    try (DevTools page = PictureSheet.window()) {
      page.go(address + "#/services");
      page.awaitText("photos");
      assertThat(page.text()).contains("Fleet shop", "search", "Nothing changes.");
      PictureSheet services = new PictureSheet("services");
      services.addAll(page, () -> page.awaitText("photos"));
      services.check();

      page.go(address + "#/right-sizing");
      page.awaitText("StatefulSet/search");
      assertThat(page.text()).contains("team-a, 2 pods on Tesla T4", "team-b, 1 pod on Tesla T4");
      PictureSheet sizes = new PictureSheet("right-sizing");
      sizes.addAll(page, () -> page.awaitText("StatefulSet/search"));
      sizes.check();
      assertThat(page.complaints()).isEmpty();
    }
  }
}
