package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.startsWith;

import dev.cotenant.service.RunningService;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QuarkusTest
@TestProfile(RunningService.class)
class DecisionResourceTest {
  private static ValidatableResponse ask(String json) {
    return given().contentType("application/json").body(json).post("/v1/decisions").then();
  }

  private static String pod(String metadata, String limits) {
    return "{\"pod\":{\"metadata\":{\"name\":\"train\",\"namespace\":\"team-a\""
        + metadata
        + "},\"spec\":{\"containers\":[{\"name\":\"main\",\"resources\":{\"limits\":"
        + limits
        + "}}]}}}";
  }

  @Test
  void decidesAboutAWorkloadOnTheOnlyGpuThatIsFreeAndMeasured() {
    ask("{\"workload\":{\"name\":\"n\",\"model\":\"resnet18\",\"batch_size\":4}}")
        .statusCode(200)
        .body("decision.workload", equalTo("default/n"))
        .body("predictions", hasSize(1))
        .body("predictions[0].device", equalTo("a100-40gb"));
  }

  private static String on(String cluster) {
    return "{\"workload\":{\"model\":\"resnet18\",\"batch_size\":4},\"cluster\":" + cluster + "}";
  }

  @Test
  void decidesOnTheClusterOfTheBody() throws IOException {
    Path clusters = RunningService.root().resolve("examples/clusters");
    ask(on(Files.readString(clusters.resolve("empty.json"))))
        .statusCode(200)
        .body("decision.result", equalTo("Admitted"));
    ask(on(Files.readString(clusters.resolve("full.json"))))
        .statusCode(200)
        .body("decision.result", equalTo("Held"))
        .body("decision.reasons", not(empty()));
  }

  @ParameterizedTest
  @CsvSource({
    "7",
    "'[]'",
    "'{}'",
    "'{\"recorded_at\":\"soon\",\"gpus\":[]}'",
    "'{\"recorded_at\":\"2026-11-20T10:00:00Z\",\"gpus\":[{\"uuid\":\"a\"}]}'",
  })
  void saysWhatIsWrongWithTheClusterOfTheBody(String cluster) {
    ask(on(cluster))
        .statusCode(422)
        .body("code", equalTo("unreadable-cluster"))
        .body("detail", containsString("cluster"));
  }

  @Test
  void decidesByEveryRunSetting() {
    ask("{\"workload\":{\"model\":\"resnet18\",\"batch_size\":4,\"optimizer\":\"sgd\","
            + "\"checkpointing\":\"segments\",\"input_bound_percent\":90}}")
        .statusCode(200)
        .body("predictions[0].optimizer", equalTo("sgd"))
        .body("predictions[0].checkpointing", equalTo("segments"))
        .body("predictions[0].input_bound_percent", equalTo(90f))
        .body("predictions[0].utilization_percent.upper", lessThanOrEqualTo(10f));
    ask("{\"workload\":{\"model\":\"resnet18\",\"utilization_limit_percent\":12}}")
        .statusCode(200)
        .body("predictions[0].utilization_percent.upper", lessThanOrEqualTo(12f));
  }

  @Test
  void givesAPodWithoutAModelAWholeFreeGpu() {
    ask(pod("", "{\"nvidia.com/gpu\":1}"))
        .statusCode(200)
        .body("decision.workload", equalTo("team-a/train"))
        .body("predictions", hasSize(0));
  }

  @ParameterizedTest
  @CsvSource({
    "'\"template\":{%s}'",
    "'\"replicas\":50,\"template\":{\"metadata\":null,%s}'",
    "'\"template\":{\"metadata\":[],%s}'",
    "'\"jobTemplate\":{\"spec\":{\"template\":{%s}}}'"
  })
  void decidesOnThePodTemplateOfAWorkload(String spec) {
    String pod =
        "\"spec\":{\"containers\":[{\"name\":\"main\",\"resources\":{\"limits\":"
            + "{\"nvidia.com/gpu\":1}}}]}";
    ask("{\"pod\":{\"metadata\":{\"name\":\"train\",\"namespace\":\"team-a\"},\"spec\":{"
            + spec.formatted(pod)
            + "}}}")
        .statusCode(200)
        .body("decision.workload", equalTo("team-a/train"));
  }

  @Test
  void answersInTextWhereAskedTo() {
    given()
        .contentType("application/json")
        .queryParam("output", "text")
        .body(pod("", "{\"nvidia.com/gpu\":1}"))
        .post("/v1/decisions")
        .then()
        .statusCode(200)
        .contentType("text/plain;charset=UTF-8")
        .body(startsWith("team-a/train: admitted\n  on GPU-"));
  }

  @Test
  void recordsNothing() {
    given()
        .get("/v1/gpus")
        .then()
        .body("gpus.find { it.node == 'gpu-2' }.tenancy", equalTo("shared"));
    for (int i = 0; i < 5; i++) {
      ask(pod("", "{\"nvidia.com/gpu\":1}"))
          .statusCode(200)
          .body("decision.result", equalTo("Admitted"));
    }
  }

  @Test
  void numbersTheReasonsOfWhatDoesNotFit() {
    ask(pod("", "{\"nvidia.com/gpu\":8}"))
        .statusCode(200)
        .body("decision.result", not(equalTo("Admitted")))
        .body("decision.reasons[0].number", equalTo(1));
  }

  @ParameterizedTest
  @CsvSource({
    "'{}', 400, pod-workload-conflict",
    "'{\"pod\":null}', 400, pod-workload-conflict",
    "'{\"pod\":{\"spec\":{}},\"workload\":{\"model\":\"resnet18\"}}', 400, pod-workload-conflict",
    "'{\"pod\":[]}', 422, malformed-pod",
    "'{\"pod\":{\"metadata\":{}}}', 422, malformed-pod",
    "'{\"pod\":{\"spec\":{\"containers\":7}}}', 422, malformed-pod",
    "'{\"pod\":{\"spec\":{\"containers\":[]}}}', 422, no-gpu",
    "'{\"workload\":{}}', 400, missing-argument",
    "'{\"workload\":{\"model\":\"nope\"}}', 404, unknown-model",
    "'{\"workload\":{\"model\":\"resnet18\",\"batch_size\":-4}}', 400, batch-out-of-range",
    "'{\"workload\":{\"model\":\"resnet18\",\"optimizer\":\"x\"}}', 400, unknown-optimizer",
    "'{\"workload\":{\"model\":\"resnet18\",\"max_slowdown\":0.5}}', 400, bad-slowdown",
    "'{\"workload\":{\"model\":\"resnet18\",\"max_slowdown\":\"NaN\"}}', 400, bad-slowdown",
    "'{\"workload\":{\"model\":\"resnet18\",\"risk_budget_percent\":101}}', 400, bad-risk-budget",
    "'{\"workload\":{\"model\":\"resnet18\",\"risk_budget_percent\":-1}}', 400, bad-risk-budget",
    "'{\"workload\":{\"model\":\"resnet18\",\"slo_latency_ms\":0}}', 400, bad-latency",
    "'{\"workload\":{\"model\":\"resnet18\",\"slo_latency_ms\":1e9}}', 400, bad-latency",
    "'{\"workload\":{\"model\":\"resnet18\",\"slo_latency_ms\":9,\"mode\":\"training\"}}',"
        + " 400, bad-latency",
  })
  void namesWhatIsWrong(String json, int status, String code) {
    ask(json)
        .statusCode(status)
        .contentType("application/problem+json")
        .body("code", equalTo(code));
  }

  /** Whose right to decide is that of one namespace may not list the cluster's models. */
  @Test
  void suggestsNoNameOfAnotherModel() {
    ask("{\"workload\":{\"model\":\"resnet-18\"}}")
        .statusCode(404)
        .body("detail", startsWith("No model is registered as 'resnet-18': "));
  }

  @Test
  void saysWhatIsWrongWithAnnotations() {
    String metadata = ",\"annotations\":{\"cotenant.dev/batch-size\":\"minus one\"}";
    ask(pod(metadata, "{\"nvidia.com/gpu\":1}"))
        .statusCode(422)
        .body("code", equalTo("invalid-pod"))
        .body("detail", containsString("batch-size"));
  }

  @Test
  void saysThatThereIsNothingToDecideAboutOptedOutPodsAndMigInstances() {
    String optedOut = ",\"labels\":{\"cotenant.dev/colocation\":\"disabled\"}";
    ask(pod(optedOut, "{\"nvidia.com/gpu\":1}")).statusCode(422).body("code", equalTo("opted-out"));
    ask(pod("", "{\"nvidia.com/mig-1g.10gb\":1}"))
        .statusCode(422)
        .body("code", equalTo("mig-instance"));
  }

  @Test
  void refusesDocumentsThatAreTooLargeOrTooDeep() {
    ask("{\"pod\":\"" + "x".repeat(JsonBody.MAX_BYTES) + "\"}")
        .statusCode(413)
        .body("code", equalTo("document-too-large"));
    ask("{\"pod\":" + "[".repeat(200) + "]".repeat(200) + "}")
        .statusCode(400)
        .contentType("application/problem+json");
  }

  @Test
  void limitsTheHistory() {
    given()
        .get("/v1/decisions?limit=1")
        .then()
        .statusCode(200)
        .body("decisions.size()", lessThanOrEqualTo(1));
    given().get("/v1/decisions?limit=0").then().statusCode(400).body("code", equalTo("bad-number"));
  }
}
