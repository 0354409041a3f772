package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.hasKey;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.startsWith;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.service.RunningService;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.path.json.JsonPath;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QuarkusTest
@TestProfile(RunningService.class)
class PredictionResourceTest {
  private static final Path RESNET50 =
      RunningService.root().resolve("examples/models/resnet50.onnx");

  private static RequestSpecification upload() {
    return given().contentType("application/octet-stream").queryParam("device", "a100-40gb");
  }

  private static RequestSpecification request(String json) {
    return given().contentType("application/json").body(json);
  }

  @Test
  void predictsARegisteredModel() {
    request("{\"model\":\"resnet50\",\"device\":\"a100\",\"batch_size\":64}")
        .post("/v1/predictions")
        .then()
        .statusCode(200)
        .body("model", equalTo("resnet50"))
        .body("device", equalTo("a100-40gb"))
        .body("mode", equalTo("training"))
        .body("precision", equalTo("fp32"))
        .body("batch_size", equalTo(64))
        .body("utilization_percent", hasKey("upper"))
        .body("peak_memory_bytes.upper", greaterThan(1_000_000L));
  }

  @Test
  void predictsOnTheWholeCatalogueTheShortestStepFirst() {
    JsonPath answer =
        request("{\"model\":\"resnet50\",\"device\":\"all\",\"precision\":\"bf16\"}")
            .post("/v1/predictions")
            .then()
            .statusCode(200)
            .extract()
            .jsonPath();

    List<Double> steps =
        answer.getList("predictions.prediction.step_time_seconds.mean", Double.class).stream()
            .filter(Objects::nonNull)
            .toList();
    assertThat(steps).hasSizeGreaterThan(20).isSorted();
    assertThat(answer.getString("predictions.find { it.device == 'v100-16gb' }.error.code"))
        .isEqualTo("precision-unavailable");
    assertThat(answer.getList("predictions")).hasSameSizeAs(DeviceCatalogue.builtIn().devices());
  }

  @Test
  void answersEachOfManyQuestions() {
    request(
            """
            [{"model": "resnet50", "device": "a100-40gb", "batch_size": 8},
             {"model": "resnet-50", "device": "a100-40gb"},
             {"model": "resnet50", "device": "t4", "batch": 8},
             {"model": "resnet50", "device": "t4", "mode": "inference", "request_rate": 1e9},
             7]
            """)
        .post("/v1/predictions")
        .then()
        .statusCode(200)
        .body("predictions.size()", equalTo(5))
        .body("predictions[0].prediction.batch_size", equalTo(8))
        .body("predictions[0]", not(hasKey("error")))
        .body("predictions[1].error.code", equalTo("unknown-model"))
        .body("predictions[1].error.detail", containsString("'resnet-50', perhaps 'resnet50': "))
        .body("predictions[2].error.code", equalTo("unexpected-json"))
        .body("predictions[2].error.detail", containsString("'batch'"))
        .body("predictions[3].error.code", equalTo("request-rate-above-capacity"))
        .body("predictions[4].error.code", equalTo("unexpected-json"));
  }

  @Test
  void refusesMoreThanAThousandQuestions() {
    request("[" + "{},".repeat(1_000) + "{}]")
        .post("/v1/predictions")
        .then()
        .statusCode(400)
        .body("code", equalTo("too-many-predictions"))
        .body("detail", containsString("1001"));
    request("[]").post("/v1/predictions").then().statusCode(200).body("predictions", empty());
  }

  @Test
  void answersTheSameForAnUploadAsForTheRegisteredModel() throws IOException {
    Response registered =
        request("{\"model\":\"resnet50\",\"device\":\"a100-40gb\",\"batch_size\":64}")
            .post("/v1/predictions");
    Response uploaded =
        upload().queryParam("batch", 64).body(Files.readAllBytes(RESNET50)).post("/v1/predictions");
    assertThat(uploaded.statusCode()).isEqualTo(200);
    for (String key : List.of("utilization_percent", "peak_memory_bytes", "batch_size", "mode")) {
      assertThat(uploaded.jsonPath().<Object>get(key))
          .as(key)
          .isEqualTo(registered.jsonPath().get(key));
    }
    assertThat(uploaded.jsonPath().getString("model")).startsWith("sha256:");
  }

  @ParameterizedTest
  @CsvSource({
    "'{\"model\":\"resnet50\",\"device\":\"gtx\"}', 400, unknown-device",
    "'{\"model\":\"resnet50\"}', 400, missing-argument",
    "'{\"device\":\"a100\"}', 400, missing-argument",
    "'{\"model\":\"nope\",\"device\":\"a100\"}', 404, unknown-model",
    "'{\"model\":\"resnet50\",\"device\":\"a100\",\"batch_size\":0}', 400, batch-out-of-range",
    "'{\"model\":\"resnet50\",\"device\":\"a100\",\"batch_size\":1.5}', 400, unexpected-json",
    "'{\"model\":\"resnet50\",\"device\":\"a100\",\"batch_size\":1e99}', 400, unexpected-json",
    "'{\"model\":\"resnet50\",\"device\":\"a100\",\"device\":\"t4\"}', 400, malformed-json",
    "'{\"model\":\"resnet50\",\"device\":\"a100\",\"mode\":\"x\"}', 400, unknown-mode",
    "'{\"model\":\"resnet50\",\"device\":\"a100\",\"precision\":\"x\"}', 400, unknown-precision",
    "'{\"model\":\"resnet50\",\"device\":\"v100-16gb\",\"precision\":\"bf16\"}', 400,"
        + " precision-unavailable",
    "'{\"model\":\"resnet50\",\"device\":\"a100\",\"framework\":\"caffe\"}', 400,"
        + " unknown-framework",
    "'{\"model\":\"resnet50\",\"device\":\"a100\",\"framework\":\"tensorrt\"}', 400,"
        + " framework-does-not-train",
    "'{\"model\":\"resnet50\",\"device\":\"a100\",\"optimizer\":\"x\"}', 400, unknown-optimizer",
    "'{\"model\":\"resnet50\",\"device\":\"a100\",\"checkpointing\":\"x\"}', 400,"
        + " unknown-checkpointing",
    "'{\"model\":\"resnet50\",\"device\":\"a100\",\"request_rate\":1e8}', 400,"
        + " request-rate-above-capacity",
    "'{\"model\":\"resnet50\",\"device\":\"a100\",\"request_rate\":0}', 400,"
        + " request-rate-out-of-range",
    "'{\"model\":\"resnet50\",\"device\":\"a100\",\"request_rate\":\"many\"}', 400,"
        + " unexpected-json",
    "'{\"model\":\"resnet50\",\"device\":\"a100\",\"request_rate\":1,\"input_bound_percent\":1}',"
        + " 400, several-loads",
    "'{\"model\":\"resnet50\",\"device\":\"a100\",\"input_bound_percent\":100}', 400,"
        + " input-wait-out-of-range",
    "'{\"model\":\"resnet50\",\"devise\":\"a100\"}', 400, unexpected-json",
    "'{\"model\":[1],\"device\":\"a100\"}', 400, unexpected-json",
    "'{\"model\":\"resnet50\"', 400, malformed-json",
    "'{} {}', 400, unexpected-json",
    "'7', 400, unexpected-json",
    "'null', 400, unexpected-json",
    "'', 400, unexpected-json",
    "'not json', 400, malformed-json",
  })
  void namesWhatIsWrongWithAQuestion(String json, int status, String code) {
    request(json)
        .post("/v1/predictions")
        .then()
        .statusCode(status)
        .contentType("application/problem+json")
        .body("status", equalTo(status))
        .body("code", equalTo(code))
        .body("type", equalTo("about:blank"))
        .body("detail", not(containsString("Exception")))
        .body("detail", not(containsString("dev.cotenant")));
  }

  @ParameterizedTest
  @CsvSource({
    "device, gtx, 400, unknown-device",
    "batch, 0, 400, bad-number",
    "batch, -1, 400, bad-number",
    "batch, 99999999999, 400, bad-number",
    "batch, many, 400, bad-number",
    "mode, idle, 400, unknown-mode",
    "precision, int4, 400, unknown-precision",
    "framework, caffe, 400, unknown-framework",
    "request_rate, NaN, 400, not-a-number",
    "request_rate, 1e8, 400, request-rate-above-capacity",
    "utilization_limit_percent, 0, 400, utilization-limit-out-of-range",
    "dim, sequence, 400, bad-dimension",
    "dim, =3, 400, bad-dimension",
    "dim, sequence=0, 400, bad-number",
  })
  void namesWhatIsWrongWithAParameter(String name, String value, int status, String code)
      throws IOException {
    given()
        .contentType("application/octet-stream")
        .queryParam("device", name.equals("device") ? value : "a100")
        .queryParams(name.equals("device") ? java.util.Map.of() : java.util.Map.of(name, value))
        .body(Files.readAllBytes(RESNET50))
        .post("/v1/predictions")
        .then()
        .statusCode(status)
        .contentType("application/problem+json")
        .body("code", equalTo(code));
  }

  @Test
  void refusesWhatIsNoModelWithoutNamingItsOwnFiles() throws IOException {
    byte[] whole = Files.readAllBytes(RESNET50);
    byte[] truncated = java.util.Arrays.copyOf(whole, whole.length / 2);
    for (byte[] body :
        List.of(
            new byte[0], "no model".getBytes(java.nio.charset.StandardCharsets.UTF_8), truncated)) {
      upload()
          .body(body)
          .post("/v1/predictions")
          .then()
          .statusCode(422)
          .contentType("application/problem+json")
          .body("detail", containsString("the upload"))
          .body("detail", not(containsString(RunningService.dataDirectory().toString())));
    }
    assertThat(uploadsInProgress()).isEmpty();
  }

  @Test
  void refusesAnUploadOverTheLimitWhetherItSaysItsSizeOrNot() throws IOException {
    byte[] tooLarge = new byte[RunningService.MAX_UPLOAD_BYTES + 1];
    upload()
        .body(tooLarge)
        .post("/v1/predictions")
        .then()
        .statusCode(413)
        .contentType("application/problem+json")
        .body("code", equalTo("upload-too-large"));
    upload()
        .body(new java.io.ByteArrayInputStream(tooLarge)) // chunked: no Content-Length
        .post("/v1/predictions")
        .then()
        .statusCode(413)
        .body("code", equalTo("upload-too-large"));
    assertThat(uploadsInProgress()).isEmpty();
  }

  @Test
  void keepsNoUpload() throws IOException {
    upload().body(Files.readAllBytes(RESNET50)).post("/v1/predictions").then().statusCode(200);
    assertThat(uploadsInProgress()).isEmpty();
  }

  @Test
  void refusesOtherContentTypesAndMethodsAndPaths() {
    given()
        .contentType("text/plain")
        .body("x")
        .post("/v1/predictions")
        .then()
        .statusCode(415)
        .contentType("application/problem+json");
    given()
        .get("/v1/predictions")
        .then()
        .statusCode(405)
        .contentType("application/problem+json")
        .body("code", equalTo("method-not-allowed"));
    given()
        .get("/v1/nothing")
        .then()
        .statusCode(404)
        .contentType("application/problem+json")
        .body("code", equalTo("not-found"));
    given()
        .get("/nothing")
        .then()
        .statusCode(404)
        .contentType("application/problem+json")
        .body("detail", startsWith("This path does not exist"));
  }

  private static List<Path> uploadsInProgress() throws IOException {
    Path uploads = RunningService.dataDirectory().resolve("uploads");
    if (!Files.exists(uploads)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(uploads)) {
      return files.toList();
    }
  }
}
