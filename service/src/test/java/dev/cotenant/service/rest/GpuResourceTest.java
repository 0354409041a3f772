package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItems;
import static org.hamcrest.Matchers.hasSize;

import dev.cotenant.service.RunningService;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import org.junit.jupiter.api.Test;

@QuarkusTest
@TestProfile(RunningService.class)
class GpuResourceTest {
  @Test
  void showsEveryGpuOfTheRecording() {
    given()
        .get("/v1/gpus")
        .then()
        .statusCode(200)
        .body("source", equalTo("recorded"))
        .body("recorded_at", equalTo("2026-11-20T10:00:00Z"))
        .body("utilization_limit_percent", equalTo(100.0f))
        .body("memory_headroom_percent", equalTo(5.0f))
        .body("gpus", hasSize(4))
        .body("gpus[0].tenants[0].name", equalTo("team-b/serving"))
        .body("gpus[1].tenancy", equalTo("exclusive"))
        .body("gpus[3].metrics", equalTo("missing"));
  }

  @Test
  void answersInTextWhereAskedTo() {
    given()
        .get("/v1/gpus?output=text")
        .then()
        .statusCode(200)
        .contentType("text/plain;charset=UTF-8")
        .body(containsString("team-b/serving"))
        .body(containsString("\ngranted: predicted upper bounds"));
    String narrow = given().get("/v1/gpus?output=text&columns=60").asString();
    assertThat(narrow).contains("team-b/serving");
    assertThat(narrow.lines().takeWhile(line -> !line.isEmpty()))
        .hasSizeGreaterThan(4)
        .allMatch(line -> line.length() <= 60);
    given()
        .get("/v1/gpus?output=text&columns=wide")
        .then()
        .statusCode(400)
        .body("message", containsString("columns"));
    given().get("/v1/gpus?output=json").then().statusCode(200).body("gpus", hasSize(4));
  }

  @Test
  void answersErrorsAsStatusOfKubernetesWhereAnOutputIsAskedFor() {
    for (String output : new String[] {"text", "json"}) {
      given()
          .get("/v1/gpus/GPU-none/forecast?output=" + output)
          .then()
          .statusCode(404)
          .contentType("application/json")
          .body("kind", equalTo("Status"))
          .body("apiVersion", equalTo("v1"))
          .body("status", equalTo("Failure"))
          .body("reason", equalTo("NotFound"))
          .body("message", containsString("GPU-none"));
    }
    given()
        .header("Authorization", "Bearer of-somebody-else-0123")
        .get("/v1/gpus?output=text")
        .then()
        .statusCode(401)
        .body("kind", equalTo("Status"))
        .body("reason", equalTo("Unauthorized"))
        .body("message", containsString("token"));
    given()
        .get("/v1/gpus?output=yaml")
        .then()
        .statusCode(400)
        .body("message", equalTo("'output' is text or json, not 'yaml'."));
    given()
        .header("Host", "other.example")
        .get("/v1/gpus?output=text")
        .then()
        .statusCode(403)
        .body("kind", equalTo("Status"))
        .body("message", containsString("'other.example'"));
  }

  @Test
  void forecastsWithEveryEstimator() {
    given()
        .get("/v1/gpus/" + Examples.GPU + "/forecast")
        .then()
        .statusCode(200)
        .body("uuid", equalTo(Examples.GPU))
        .body("forecasts.estimator", hasItems("agnostic", "cbp", "pp"));
  }

  @Test
  void knowsNoOtherGpu() {
    given()
        .get("/v1/gpus/GPU-none/forecast")
        .then()
        .statusCode(404)
        .contentType("application/problem+json")
        .body("code", equalTo("unknown-gpu"));
  }

  @Test
  void namesThePredictorAndTheDevices() {
    given()
        .get("/v1/predictors")
        .then()
        .statusCode(200)
        .body("predictors[0].origin", equalTo("shipped"))
        .body("predictors[0].provenance.join(';')", containsString("gpumemnet"));
    given().get("/v1/devices").then().statusCode(200).body("devices.id", hasItems("t4", "b200"));
  }
}
