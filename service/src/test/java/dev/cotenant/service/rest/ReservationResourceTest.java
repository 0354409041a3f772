package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.notNullValue;

import dev.cotenant.service.RunningService;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QuarkusTest
@TestProfile(RunningService.class)
class ReservationResourceTest {
  private static final String WHOLE =
      "{\"pod\":{\"metadata\":{\"name\":\"whole-0\",\"namespace\":\"team-r\"},\"spec\":"
          + "{\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":"
          + "{\"nvidia.com/gpu\":\"1\"}}}]}}}";

  private final List<String> made = new ArrayList<>();

  private static ValidatableResponse reserve(@Nullable String key, String body) {
    var request = given().contentType("application/json").body(body);
    return (key == null ? request : request.header("Idempotency-Key", key))
        .post("/v1/reservations")
        .then();
  }

  private String reserved() {
    String id = reserve(UUID.randomUUID().toString(), WHOLE).statusCode(201).extract().path("id");
    made.add(id);
    return id;
  }

  private static ValidatableResponse confirm(String id, String version, String uid) {
    return given()
        .contentType("application/json")
        .header("If-Match", version)
        .body("{\"namespace\":\"team-r\",\"name\":\"whole-0\",\"uid\":\"" + uid + "\"}")
        .post("/v1/reservations/" + id + "/confirm")
        .then();
  }

  @AfterEach
  void release() {
    made.forEach(id -> given().delete("/v1/reservations/" + id));
  }

  @Test
  void repeatsItsAnswerToTheSameKey() {
    String key = UUID.randomUUID().toString();
    String id =
        reserve(key, WHOLE)
            .statusCode(201)
            .header("ETag", equalTo("\"1\""))
            .header("Location", containsString("/v1/reservations/"))
            .body("state", equalTo("ALLOCATED"))
            .body("gpus", hasSize(1))
            .body("expires_at", notNullValue())
            .extract()
            .path("id");
    made.add(id);
    reserve(key, WHOLE.replace(":", " : ")).statusCode(201).body("id", equalTo(id));
    reserve(key, WHOLE.replace("whole-0", "whole-1"))
        .statusCode(422)
        .body("code", equalTo("idempotency-key-reused"));
    given()
        .get("/v1/explain/team-r/whole-0")
        .then()
        .statusCode(200)
        .body("state", equalTo("ALLOCATED"))
        .body("decision.grants", hasSize(1));
  }

  @Test
  void saysWhyThereIsNoCapacity() {
    reserved(); // the only GPU that is free and measured
    String key = UUID.randomUUID().toString();
    String first =
        reserve(key, WHOLE)
            .statusCode(409)
            .contentType("application/problem+json")
            .body("code", equalTo("no-capacity"))
            .body("result", equalTo("Held"))
            .body("reasons[0].number", equalTo(1))
            .body("reason_count", greaterThan(0))
            .extract()
            .asString();
    assertThat(reserve(key, WHOLE).statusCode(409).extract().asString()).isEqualTo(first);
  }

  @Test
  void isConfirmedForOnePodAndGivenBack() {
    String id = reserved();
    confirm(id, "\"9\"", "uid-1").statusCode(412).body("code", equalTo("version-changed"));
    given()
        .contentType("application/json")
        .body("{\"namespace\":\"team-r\",\"name\":\"a..b\",\"uid\":\"u\"}")
        .post("/v1/reservations/" + id + "/confirm")
        .then()
        .statusCode(400)
        .body("code", equalTo("bad-name"));
    confirm(id, "nonsense", "uid-1").statusCode(400).body("code", equalTo("bad-version"));
    confirm(id, "\"1\"", "uid-1")
        .statusCode(200)
        .header("ETag", equalTo("\"2\""))
        .body("state", equalTo("BOUND"))
        .body("pod.uid", equalTo("uid-1"));
    confirm(id, "\"1\"", "uid-1").statusCode(200); // repeated
    confirm(id, "*", "uid-2").statusCode(409).body("code", equalTo("reserved-for-another-pod"));
    given()
        .get("/v1/gpus")
        .then()
        .body("gpus.findAll { it.holder == 'team-r/whole-0' }", hasSize(1));
    given()
        .delete("/v1/reservations/" + id)
        .then()
        .statusCode(200)
        .body("state", equalTo("RELEASED"));
    given().get("/v1/reservations/" + id).then().statusCode(200).body("state", equalTo("RELEASED"));
    confirm(id, "*", "uid-1").statusCode(410).body("code", equalTo("reservation-expired"));
    given().delete("/v1/reservations/" + id).then().statusCode(200);
  }

  @Test
  void knowsNothingOfOthers() {
    given()
        .get("/v1/reservations/none")
        .then()
        .statusCode(404)
        .body("code", equalTo("unknown-reservation"));
    given().delete("/v1/reservations/none").then().statusCode(404);
    confirm("none", "*", "u").statusCode(404);
  }

  @ParameterizedTest
  @CsvSource({
    ", '{\"workload\":{\"model\":\"resnet18\"}}', 400, missing-idempotency-key",
    "x, '{\"workload\":{\"model\":\"resnet18\"}}', 400, bad-idempotency-key",
    "a-key-of-this-test-alone-9, '{\"workload\":{\"model\":\"resnet18\",\"name\":\"../..\"}}', 400,"
        + " bad-name",
    "a-key-of-this-test-alone-0, '{\"workload\":{\"model\":\"resnet18\",\"namespace\":\"A B\"}}',"
        + " 400, bad-namespace",
    "'two words', '{\"workload\":{\"model\":\"resnet18\"}}', 400, bad-idempotency-key",
    "a-key-of-this-test-alone-1, '', 400, unexpected-json",
    "a-key-of-this-test-alone-2, '{', 400, malformed-json",
    "a-key-of-this-test-alone-3, '{}', 400, pod-workload-conflict",
    "a-key-of-this-test-alone-4, '{\"workload\":{}}', 400, missing-argument",
    "a-key-of-this-test-alone-5, '{\"workload\":{\"model\":\"resnet18\",\"batch_size\":0}}', 400,"
        + " batch-out-of-range",
    "a-key-of-this-test-alone-8, '{\"workload\":{\"model\":\"resnet18\",\"optimizer\":\"x\"}}',"
        + " 400, unknown-optimizer",
    "a-key-of-this-test-alone-6, '{\"workload\":{\"model\":\"resnet18\",\"gpu_memory_bytes\":-1}}',"
        + " 400, bad-memory",
    "a-key-of-this-test-alone-7, '{\"workload\":{\"model\":\"resnet18\",\"sparsity\":\"half\"}}',"
        + " 400, unexpected-json",
    "a-key-of-this-test-alone-8, '{\"pod\":{\"spec\":{\"containers\":[]}}}', 422, no-gpu",
  })
  void namesWhatIsWrong(@Nullable String key, String body, int status, String code) {
    reserve(key, body)
        .statusCode(status)
        .contentType("application/problem+json")
        .body("code", equalTo(code));
  }

  @Test
  void explainsWhereToLookForAPodThatIsNotKnown() {
    given()
        .get("/v1/explain/team-r/nobody")
        .then()
        .statusCode(404)
        .body("code", equalTo("unknown-pod"))
        .body("detail", containsString("cotenant.dev/colocation=enabled"));
  }

  @Test
  void hasNoQueueWithoutAController() {
    given()
        .get("/v1/queue")
        .then()
        .statusCode(200)
        .body("controller", equalTo(false))
        .body("waiting", hasSize(0));
  }
}
