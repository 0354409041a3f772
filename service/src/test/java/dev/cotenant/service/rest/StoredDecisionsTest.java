package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.not;

import dev.cotenant.service.RunningService;
import dev.cotenant.service.decisions.DecisionLog;
import dev.cotenant.service.decisions.DecisionStore.Wanted;
import dev.cotenant.service.webhook.WebhookClient;
import dev.cotenant.service.webhook.WebhookServer;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

/** Decisions in the database, and what explanations say beside them. */
@QuarkusTest
@TestProfile(RunningService.class)
class StoredDecisionsTest {
  @Inject WebhookServer webhooks;
  @Inject DecisionLog log;

  /** What the database has, not what this process remembers. */
  @Test
  void findsDecisionsByTheGpusThatTheyName() {
    new WebhookClient(webhooks.port())
        .post("/webhooks/mutate", WebhookClient.review("resnet18", 1));
    String gpu =
        given()
            .get("/v1/decisions?pod=team-a/train&limit=1")
            .then()
            .statusCode(200)
            .body("decisions[0].prediction.model", equalTo("resnet18"))
            .extract()
            .path(
                "decisions[0].decision.grants[0].gpu ?:"
                    + " decisions[0].decision.reasons[0].numbers.gpu");
    given()
        .queryParam("gpu", gpu)
        .get("/v1/decisions")
        .then()
        .statusCode(200)
        .body("decisions[0].pod", equalTo("team-a/train"));
    given().get("/v1/decisions?gpu=none").then().statusCode(200).body("decisions", empty());
    given()
        .get("/v1/decisions?continue=bm9uZQ") // "none"
        .then()
        .statusCode(400)
        .body("code", equalTo("bad-continue"));
    assertThat(log.newest(new Wanted("team-a", "team-a/train", gpu, Long.MAX_VALUE), 1)).hasSize(1);
  }

  @Test
  void explainsWhatAPredictionRestsOn() {
    new WebhookClient(webhooks.port())
        .post("/webhooks/mutate", WebhookClient.review("resnet18", 1));
    given()
        .get("/v1/explain/team-a/train")
        .then()
        .statusCode(200)
        .body("grounds.memory_parts.weights_bytes", greaterThan(100_000_000))
        .body("grounds.memory_parts.process_bytes", greaterThan(100_000_000))
        .body("grounds.neighbours.size()", lessThanOrEqualTo(5))
        .body("considered.gpu", not(hasItem("none")));
  }
}
