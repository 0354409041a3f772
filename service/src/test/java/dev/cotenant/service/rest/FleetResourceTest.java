package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.nullValue;

import dev.cotenant.service.RunningService;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fleets of a service without a metrics server; FleetsTest has the decisions. */
@QuarkusTest
@TestProfile(RunningService.class)
class FleetResourceTest {
  private static final String FLEET =
      """
      {"devices": [{"id": "v100"}],
       "workloads": [{"name": "a", "profile": "resnet50", "slo_latency_ms": 40,
                      "request_rate_per_second": 100, "metrics": {"source": "vllm"}}]}
      """;

  private static ValidatableResponse post(String query, String body) {
    return given().contentType("application/json").body(body).post("/v1/fleets" + query).then();
  }

  @AfterEach
  void delete() {
    given().delete("/v1/fleets/mine");
  }

  @Test
  void aFleetIsShownUntilItIsDeleted() {
    post("?name=mine", FLEET)
        .statusCode(200)
        .body("name", equalTo("mine"))
        .body("mode", equalTo("shadow"))
        .body("last", nullValue())
        .body("waiting", containsString("cotenant.prometheus.url"));
    given().get("/v1/fleets").then().statusCode(200).body("fleets.name", hasItem("mine"));
    given().get("/v1/fleets/mine").then().statusCode(200).body("name", equalTo("mine"));

    given().delete("/v1/fleets/mine").then().statusCode(200).body("deleted", equalTo(1));

    given().get("/v1/fleets/mine").then().statusCode(404).body("code", equalTo("unknown-fleet"));
    given().delete("/v1/fleets/mine").then().statusCode(404);
    given().get("/v1/fleets").then().body("fleets.name", not(hasItem("mine")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | missing-argument",
        "?name=Mine | bad-fleet-name",
        "?name=a--- | bad-fleet-name",
        "?name= | missing-argument"
      })
  void refusesNamesThatAreNone(String query, String code) {
    post(query, FLEET).statusCode(400).body("code", equalTo(code));
  }

  @Test
  void refusesDocumentsThatCannotBeWatched() {
    post("?name=mine", FLEET.replace(", \"metrics\": {\"source\": \"vllm\"}", ""))
        .statusCode(422)
        .body("code", equalTo("bad-plan"))
        .body("detail", containsString("workloads[0].metrics"));
    post("?name=mine", FLEET.replace("resnet50", "nobody"))
        .statusCode(422)
        .body("detail", containsString("nobody"));
    post("?name=mine", "[]").statusCode(422);
    given().get("/v1/fleets/mine").then().statusCode(404);
  }

  @Test
  void hasAsManyFleetsAsItMay() {
    for (int i = 0; i < 17; i++) {
      post("?name=many-" + i, FLEET);
    }
    post("?name=one-more", FLEET).statusCode(413).body("code", equalTo("too-many-fleets"));
    post("?name=many-3", FLEET).statusCode(200);
    for (int i = 0; i < 17; i++) {
      given().delete("/v1/fleets/many-" + i);
    }
  }
}
