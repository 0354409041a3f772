package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;

import dev.cotenant.engine.lifecycle.ModelVersion;
import dev.cotenant.engine.lifecycle.Serving;
import dev.cotenant.engine.profile.StoredRuns;
import dev.cotenant.service.RunningService;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows and versions that are taken back. */
@QuarkusTest
@TestProfile(RunningService.class)
class WithdrawalTest {
  private static final String QUESTION =
      "{\"model\":\"resnet18\",\"device\":\"l4\",\"batch_size\":41}";
  @Inject LifeCycleSteps steps;
  @Inject Serving serving;
  @Inject StoredRuns remembered;

  private static ValidatableResponse predicted() {
    return given()
        .contentType("application/json")
        .body(QUESTION)
        .post("/v1/predictions")
        .then()
        .statusCode(200);
  }

  @Test
  void rowsOfASourceCountNoMore() {
    for (long bytes : new long[] {21_000_000_001L, 21_000_000_002L}) {
      given()
          .contentType("application/json")
          .body(
              "{\"rows\":[{\"source\":\"wrong-unit\",\"model\":\"resnet18\",\"device\":\"l4\",\"batch_size\":41,"
                  + "\"peak_memory_bytes\":"
                  + bytes
                  + "}]}")
          .post("/v1/profiles")
          .then()
          .body("added", equalTo(1));
    }
    remembered.refresh();
    predicted().body("measured_here", notNullValue());
    String source = "local: wrong-unit";
    given()
        .queryParam("source", source)
        .get("/v1/profiles?device=l4")
        .then()
        .body("profiles", hasSize(2))
        .body("profiles.fields.source", everyItem(equalTo(source)));
    given().get("/v1/profiles?source=nobody").then().body("profiles", hasSize(0));

    given()
        .queryParam("source", source)
        .delete("/v1/profiles")
        .then()
        .statusCode(200)
        .body("withdrawn", equalTo(2));

    predicted().body("measured_here", nullValue());
    given()
        .queryParam("source", source)
        .delete("/v1/profiles")
        .then()
        .statusCode(404)
        .body("code", equalTo("unknown-source"));
  }

  @Test
  void oneRowIsWithdrawnByItsNumber() {
    long number = steps.addRowOf("local: one");
    given().delete("/v1/profiles/" + number).then().statusCode(200).body("withdrawn", equalTo(1));
    given()
        .delete("/v1/profiles/" + number)
        .then()
        .statusCode(404)
        .body("code", equalTo("unknown-row"));
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/profiles, 400, missing-argument",
    "/v1/profiles/0, 400, bad-number",
    "/v1/profiles/-1, 400, bad-number",
    "/v1/profiles/one, 400, bad-number",
    "/v1/predictors/none, 404, unknown-version",
  })
  void saysWhatIsWrong(String path, int status, String code) {
    given().delete(path).then().statusCode(status).body("code", equalTo(code));
  }

  @Test
  void aVersionIsDeletedThatNeverServed() {
    steps.addRowOf("local: more");
    ModelVersion version = steps.trained();
    given()
        .delete("/v1/predictors/" + version.label())
        .then()
        .statusCode(200)
        .body("sha256", equalTo(version.sha256()));
    given()
        .get("/v1/predictors?kind=correction")
        .then()
        .body("predictors.sha256", not(contains(version.sha256())))
        .body("predictors.kind", everyItem(equalTo("correction")));
    given()
        .delete("/v1/predictors/" + serving.served().sha256())
        .then()
        .statusCode(409)
        .body("code", equalTo("version-in-use"))
        .body("detail", containsString(serving.served().label()));
    String promoted = steps.promoted();
    given().delete("/v1/predictors/" + promoted).then().statusCode(409);
  }
}
