package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import dev.cotenant.predictor.Predictor;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.webhook.WebhookClient;
import dev.cotenant.service.webhook.WebhookServer;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is answered while the database is down since the start. */
@QuarkusTest
@TestProfile(StoreDownTest.NoDatabase.class)
class StoreDownTest {
  @Inject WebhookServer webhooks;

  /** A PostgreSQL at a port where nothing listens. */
  public static final class NoDatabase extends RunningService {
    @Override
    public Map<String, String> getConfigOverrides() {
      Map<String, String> configuration = new HashMap<>(super.getConfigOverrides());
      configuration.put("cotenant.database.url", "jdbc:postgresql://127.0.0.1:1/none");
      return configuration;
    }
  }

  @Test
  void namesThePredictorThatServes() {
    given()
        .get("/v1/predictors")
        .then()
        .statusCode(200)
        .body("serving.version", equalTo(Predictor.builtIn().version()))
        .body("store", equalTo("unreachable"))
        .body("drift", nullValue())
        .body("read_at", nullValue())
        .body("predictors", empty())
        .body("promotions", empty());
  }

  @Test
  void listsTheDecisionsThatItRemembers() {
    new WebhookClient(webhooks.port())
        .post("/webhooks/mutate", WebhookClient.review("resnet18", 1));
    given()
        .get("/v1/decisions?limit=1")
        .then()
        .statusCode(200)
        .body("decisions[0].pod", equalTo("team-a/train"));
    given().get("/v1/decisions?gpu=none").then().statusCode(200).body("decisions", empty());
    given().get("/v1/what-if").then().statusCode(200).body("state", equalTo("none"));
    given().get("/v1/explain/team-a/train").then().statusCode(200);
  }

  @Test
  void changesNothingAndSaysWhy() {
    given()
        .contentType("application/json")
        .body("{\"reason\":\"worse\"}")
        .post("/v1/predictors/rollback")
        .then()
        .statusCode(503)
        .body("code", equalTo("store-unavailable"))
        .body("detail", startsWith("PostgreSQL at jdbc:postgresql://127.0.0.1:1/none"));
  }
}
