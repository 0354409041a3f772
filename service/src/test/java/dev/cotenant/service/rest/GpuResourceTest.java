package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
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
