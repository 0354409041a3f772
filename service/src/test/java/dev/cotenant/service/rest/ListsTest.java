package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.nullValue;

import dev.cotenant.service.RunningService;
import dev.cotenant.service.webhook.WebhookClient;
import dev.cotenant.service.webhook.WebhookServer;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.path.json.JsonPath;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages and filters of every list. */
@QuarkusTest
@TestProfile(RunningService.class)
class ListsTest {
  private static final int MAX_PAGES = 500;
  private static final Set<String> FILLED =
      Set.of(
          "/v1/models",
          "/v1/gpus",
          "/v1/predictors",
          "/v1/service-profiles",
          "/v1/decisions",
          "/v1/trainings",
          "/v1/evidence");

  @Inject WebhookServer webhooks;
  @Inject LifeCycleSteps steps;

  private static JsonPath page(String path, int limit, @Nullable String token) {
    var request = given().queryParam("limit", limit);
    return (token == null ? request : request.queryParam("continue", token))
        .get(path)
        .then()
        .statusCode(200)
        .extract()
        .jsonPath();
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/models, models.name",
    "/v1/gpus, gpus.uuid",
    "/v1/predictors, predictors.sha256",
    "/v1/service-profiles, profiles.name",
    "/v1/decisions, decisions.at",
    "/v1/trainings, trainings.id",
    "/v1/queue, waiting.pod",
    "/v1/evidence, namespaces.namespace",
    "/v1/constants, releases.engine_version",
    "/v1/memory-shortages, memory_shortages.model",
  })
  void comesWholePageByPage(String path, String entries) throws IOException {
    fill();
    List<String> whole = page(path, 1_000, null).getList(entries);
    List<String> together = new ArrayList<>();
    String token = null;
    for (int i = 0; i < MAX_PAGES; i++) {
      JsonPath page = page(path, 1, token);
      List<String> part = page.getList(entries);
      assertThat(part).hasSizeLessThanOrEqualTo(1);
      together.addAll(part);
      token = page.getString("continue");
      if (token == null) {
        break;
      }
    }
    assertThat(together).isEqualTo(whole);
    assertThat(whole).hasSizeGreaterThanOrEqualTo(FILLED.contains(path) ? 1 : 0);
  }

  /** At least one entry in each list that can have one here. */
  private void fill() throws IOException {
    var client = new WebhookClient(webhooks.port());
    client.post("/webhooks/mutate", WebhookClient.review("resnet50", 8));
    client.post("/webhooks/mutate", WebhookClient.review("resnet18", 8));
    steps.openTraining();
    steps.endTrainings();
    given()
        .contentType("application/octet-stream")
        .body(Files.readAllBytes(RunningService.root().resolve(Examples.SERVICE_PROFILES)))
        .post("/v1/service-profiles")
        .then()
        .statusCode(200);
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/gpus?namespce=team-a, namespce, 'columns, continue, device, limit, namespace, node,"
        + " output'",
    "/v1/models?namespace=team-a, namespace, 'columns, continue, kind, limit, output'",
    "/v1/devices?limit=1, limit, 'columns, output'",
  })
  void refusesParametersThatMeanNothing(String path, String name, String taken) {
    given()
        .get(path)
        .then()
        .statusCode(400)
        .body("code", equalTo("unknown-parameter"))
        .body(
            "detail",
            equalTo("This call has no query parameter '" + name + "': there is " + taken + "."));
  }

  @Test
  void takesTheTimeLimitThatKubectlAdds() {
    given().get("/v1/devices?output=json&timeout=1m0s").then().statusCode(200);
  }

  @Test
  void filters() throws IOException {
    fill();
    given()
        .get("/v1/models?kind=graph")
        .then()
        .body("models.kind", everyItem(equalTo("graph")))
        .body("continue", nullValue());
    given().get("/v1/models?kind=none").then().body("models", hasSize(0));
    String node = given().get("/v1/gpus").path("gpus[0].node");
    given()
        .queryParam("node", node)
        .get("/v1/gpus")
        .then()
        .body("gpus.node", everyItem(equalTo(node)));
    given().get("/v1/gpus?node=none").then().body("gpus", hasSize(0));
    String device = given().get("/v1/gpus").path("gpus[0].device");
    given()
        .queryParam("device", device)
        .get("/v1/gpus")
        .then()
        .body("gpus.device", everyItem(equalTo(device)));
    given().get("/v1/gpus?device=none").then().body("gpus", hasSize(0));
    given()
        .get("/v1/trainings?state=cancelled&limit=1")
        .then()
        .body("trainings.state", contains("cancelled"));
    given().get("/v1/decisions?pod=no/pod").then().body("decisions", hasSize(0));
    given().get("/v1/service-profiles?name=none").then().body("profiles", hasSize(0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "models",
        "gpus",
        "predictors",
        "service-profiles",
        "trainings",
        "queue",
        "evidence",
        "constants",
        "memory-shortages"
      })
  void refusesTokensThatNoPageGave(String list) {
    given()
        .get("/v1/" + list + "?continue=%20%2f")
        .then()
        .statusCode(400)
        .body("code", equalTo("bad-continue"));
    given()
        .get("/v1/" + list + "?continue=bm9uZQ") // "none"
        .then()
        .statusCode(410)
        .body("code", equalTo("page-gone"));
    given()
        .get("/v1/" + list + "?limit=0")
        .then()
        .statusCode(400)
        .body("code", equalTo("bad-number"));
  }
}
