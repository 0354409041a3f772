package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasSize;

import dev.cotenant.service.RunningService;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;
import org.junit.jupiter.api.Test;

@QuarkusTest
@TestProfile(RunningService.class)
class PlanResourceTest {
  private static final String SERVED =
      "{\"name\":\"w\",\"profile\":\"resnet50\",\"slo_latency_ms\":40,"
          + "\"request_rate_per_second\":200}";

  private static ValidatableResponse ask(String strategy, String json) {
    return given()
        .contentType("application/json")
        .queryParam("strategy", strategy)
        .body(json)
        .post("/v1/plans")
        .then();
  }

  @Test
  void plansWithTheStrategyThatWasAsked() {
    ask("igniter", "{\"devices\":[{\"id\":\"v100\"}],\"workloads\":[" + SERVED + "]}")
        .statusCode(200)
        .body("plans", hasSize(1))
        .body("plans[0].strategy", equalTo("igniter"))
        .body("plans[0].gpus[0].workloads[0].name", equalTo("w"));
  }

  @Test
  void guessesRegisteredModels() {
    ask(
            "igniter",
            "{\"devices\":[{\"id\":\"a100\"}],\"workloads\":[{\"name\":\"m\",\"model\":"
                + "\"resnet50\",\"slo_latency_ms\":60,\"request_rate_per_second\":20}]}")
        .statusCode(200)
        .body("plans[0].gpus", hasSize(1))
        .body("plans[0].notes", hasItem(containsString("m was never profiled")));
  }

  @Test
  void listsAWorkloadOfAnUnknownModelAndPlansTheRest() {
    ask(
            "igniter",
            "{\"devices\":[{\"id\":\"v100\"}],\"workloads\":["
                + SERVED
                + ",{\"name\":\"m\",\"model\":\"nobody\",\"slo_latency_ms\":60,"
                + "\"request_rate_per_second\":20}]}")
        .statusCode(200)
        .body("plans[0].gpus", hasSize(1))
        .body("plans[0].unplaced[0].name", equalTo("m"))
        .body("plans[0].unplaced[0].reasons[0]", containsString("nobody"));
  }

  @Test
  void refusesWhatItCannotUse() {
    ask("magic", "{}").statusCode(400).body("code", equalTo("unknown-strategy"));
    ask("igniter", "{}").statusCode(422).body("code", equalTo("bad-plan"));
    ask("igniter", "").statusCode(422).body("code", equalTo("bad-plan"));
    ask("igniter", "[]").statusCode(422).body("code", equalTo("bad-plan"));
    ask("igniter", "{\"devices\":[{\"id\":\"abacus\"}]}").statusCode(400);
    ask("igniter", "\"" + "x".repeat(4 << 20) + "\"").statusCode(413);
    ask("igniter", "[".repeat(200)).statusCode(422).body("code", equalTo("bad-plan"));
  }
}
