package dev.cotenant.service.access;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.not;

import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.domain.text.Sha256;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.rest.LifeCycleSteps;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.Response;
import io.restassured.response.ValidatableResponse;
import io.restassured.specification.RequestSpecification;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A tenant's service account with a token of this audience and no right, which once could all. */
@QuarkusTest
@TestProfile(ClusterService.class)
class UnauthorizedCallersTest {
  private static final String MALLORY = "system:serviceaccount:mallory:default";

  @Inject LifeCycleSteps steps;

  @Inject
  @ConfigProperty(name = "cotenant.rest.tokens-file")
  Path tokens;

  private final List<String> made = new ArrayList<>();

  private static RequestSpecification as(String user) {
    return bearer(FakeCluster.clusterToken(user));
  }

  private static RequestSpecification operator() {
    return bearer(RunningService.REST_TOKEN);
  }

  private static RequestSpecification bearer(String token) {
    return given()
        .header("Authorization", "Bearer " + token)
        .header("Idempotency-Key", UUID.randomUUID().toString());
  }

  private static String workload(String namespace) {
    return "{\"workload\":{\"namespace\":\"" + namespace + "\",\"model\":\"resnet18\"}}";
  }

  private String reserved(RequestSpecification by, String namespace) {
    String id =
        by.contentType("application/json")
            .body(workload(namespace))
            .post("/v1/reservations")
            .then()
            .statusCode(201)
            .extract()
            .path("id");
    made.add(id);
    return id;
  }

  /** Reserves capacity for others until there is none. */
  private void fill() {
    Response last;
    do {
      last =
          operator()
              .contentType("application/json")
              .body(workload("team-a"))
              .post("/v1/reservations");
      if (last.statusCode() == 201) {
        made.add(last.path("id"));
      }
    } while (last.statusCode() == 201);
  }

  private static ValidatableResponse isForbidden(ValidatableResponse response, String right) {
    return response
        .statusCode(403)
        .contentType("application/problem+json")
        .body("code", equalTo("forbidden"))
        .body("detail", containsString("user " + MALLORY + " may not " + right))
        .body("detail", containsString("kubectl create "))
        .body("detail", containsString("--serviceaccount=mallory:default"));
  }

  @AfterEach
  void release() {
    made.forEach(id -> operator().delete("/v1/reservations/" + id));
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /v1/gpus, list gpus.cotenant.dev in the whole cluster",
    "GET, /v1/gpus?namespace=team-a, list gpus.cotenant.dev in namespace team-a",
    "GET, /v1/decisions, list decisions.cotenant.dev in the whole cluster",
    "GET, /v1/queue, list queue.cotenant.dev in the whole cluster",
    "GET, /v1/explain/team-a/train, get explanations.cotenant.dev in namespace team-a",
    "POST, /v1/trainings, create trainings.cotenant.dev in the whole cluster",
    "POST, /v1/profiles, create profiles.cotenant.dev in the whole cluster",
    "POST, /v1/predictors/rollback, rollback predictors.cotenant.dev in the whole cluster",
    "POST, /v1/predictors/x/promotion, promote predictors.cotenant.dev in the whole cluster",
    "POST, /v1/predictions, create predictions.cotenant.dev in the whole cluster",
    "POST, /v1/plans, create plans.cotenant.dev in the whole cluster",
    "GET, /v1/what-if, list replays.cotenant.dev in the whole cluster",
    "POST, /v1/what-if, create replays.cotenant.dev in the whole cluster",
  })
  void readsAndChangesNothing(String method, String path, String right) {
    RequestSpecification request = as(MALLORY);
    if (method.equals("POST")) {
      request.contentType("application/json").body("{}");
    }
    isForbidden(request.request(method, path).then(), right);
  }

  @Test
  void doesNotReplaceAModel() throws IOException {
    String before = model();
    isForbidden(
        as(MALLORY)
            .contentType("application/octet-stream")
            .body(
                Files.readAllBytes(
                    RunningService.root().resolve("examples/models/mobilenet_v2.onnx")))
            .put("/v1/models/resnet50")
            .then(),
        "update models.cotenant.dev in the whole cluster");
    assertThat(model()).isEqualTo(before);
  }

  private static String model() {
    return operator().get("/v1/models").path("models.find { it.name == 'resnet50' }.sha256");
  }

  @Test
  void doesNotReserveForOthersNorUseWhatTheyReserved() {
    isForbidden(
        as(MALLORY)
            .contentType("application/json")
            .body(workload("team-a"))
            .post("/v1/reservations")
            .then(),
        "create reservations.cotenant.dev in namespace team-a");
    String id = reserved(operator(), "team-a");
    String path = "/v1/reservations/" + id;
    isForbidden(as(MALLORY).get(path).then(), "get reservations.cotenant.dev in namespace team-a");
    isForbidden(
        as(MALLORY)
            .contentType("application/json")
            .body("{\"namespace\":\"mallory\",\"name\":\"p\",\"uid\":\"u\"}")
            .post(path + "/confirm")
            .then(),
        "update reservations.cotenant.dev in namespace team-a");
    isForbidden(
        as(MALLORY).delete(path).then(), "delete reservations.cotenant.dev in namespace team-a");
    operator().get(path).then().statusCode(200).body("state", equalTo("ALLOCATED"));
    as(MALLORY).get("/v1/reservations/none").then().statusCode(404);
  }

  @Test
  void aRoleBindingShowsItsNamespaceAndNoOther() {
    reserved(operator(), "team-a");
    String editor = "editor@team-m";

    operator().get("/v1/gpus").then().statusCode(200).body(containsString("team-a/reserved"));
    as(editor).get("/v1/gpus").then().statusCode(403);
    as(editor).get("/v1/gpus?namespace=team-a").then().statusCode(403);
    as(editor)
        .get("/v1/gpus?namespace=team-m")
        .then()
        .statusCode(200)
        .body("gpus", hasSize(4))
        .body(containsString(Visibility.HIDDEN))
        .body(not(containsString("team-a")))
        .body(not(containsString("team-b")));
    as(editor).get("/v1/explain/team-a/reserved").then().statusCode(403);
    fill();
    as(editor)
        .contentType("application/json")
        .body(workload("team-m"))
        .post("/v1/reservations")
        .then()
        .statusCode(409)
        .body(containsString("reasons"))
        .body(not(containsString("team-a")));
    as(editor)
        .contentType("application/json")
        .body(workload("team-m"))
        .post("/v1/decisions")
        .then()
        .statusCode(200)
        .body("decision.result", equalTo("Held"))
        .body(not(containsString("team-a")));
  }

  @Test
  void aRoleBindingGivesItsNamespaceAndNoOther() {
    String editor = "editor@team-m";
    String id = reserved(as(editor), "team-m");

    as(editor).get("/v1/gpus?namespace=team-m").then().body(containsString("team-m/reserved"));
    as(editor).get("/v1/explain/team-m/reserved").then().statusCode(200);
    as(editor).get("/v1/reservations/" + id).then().statusCode(200);
    as(editor)
        .contentType("application/json")
        .body("{\"namespace\":\"team-a\",\"name\":\"p\",\"uid\":\"u\"}")
        .post("/v1/reservations/" + id + "/confirm")
        .then()
        .statusCode(403)
        .body("detail", containsString("in namespace team-a"));
    as(editor)
        .contentType("application/octet-stream")
        .body(new byte[] {'x'})
        .put("/v1/models/resnet50")
        .then()
        .statusCode(403);
  }

  @Test
  void anotherNamespacesRightDoesNotReachAReservation() {
    String id = reserved(as("editor@team-m"), "team-m");

    as("viewer@team-m").get("/v1/reservations/" + id).then().statusCode(200);
    as("viewer@team-m").delete("/v1/reservations/" + id).then().statusCode(403);
    as("operator@team-z").get("/v1/reservations/" + id).then().statusCode(403);
    as("operator@*").get("/v1/reservations/" + id).then().statusCode(200);
  }

  /** Who loses its rights can still use and give back what it reserved, and no other can. */
  @Test
  void aReservationIsItsCreatorsWithoutAnyRight() throws IOException {
    String before = Files.readString(tokens);
    String creator = "a-token-of-a-creator";
    try {
      writeRole(before, "editor", creator);
      Eventually.holds("it is an editor", () -> status(creator, "/v1/models") == 200);
      String id = reserved(bearer(creator), "team-a");
      String path = "/v1/reservations/" + id;
      writeRole(before, "scheduler", creator);
      Eventually.holds("it is one no longer", () -> status(creator, "/v1/models") == 403);

      String other = FakeCluster.fileToken("scheduler", "*");
      for (String method : List.of("GET", "POST", "DELETE")) {
        useReservation(other, method, path).then().statusCode(403);
        useReservation(FakeCluster.clusterToken("scheduler@*"), method, path)
            .then()
            .statusCode(403);
      }
      bearer(creator)
          .contentType("application/json")
          .body(workload("team-a"))
          .post("/v1/reservations")
          .then()
          .statusCode(403);
      useReservation(creator, "GET", path)
          .then()
          .statusCode(200)
          .body("state", equalTo("ALLOCATED"));
      useReservation(creator, "POST", path).then().statusCode(200);
      useReservation(creator, "DELETE", path).then().statusCode(200);
    } finally {
      Files.writeString(tokens, before);
    }
  }

  private void writeRole(String others, String role, String token) throws IOException {
    Files.writeString(
        tokens,
        others + "creator " + role + " sha256:" + Sha256.of(token) + System.lineSeparator());
  }

  private static int status(String token, String path) {
    return bearer(token).header("Connection", "close").get(path).statusCode();
  }

  private static Response useReservation(String token, String method, String path) {
    return switch (method) {
      case "POST" ->
          bearer(token)
              .contentType("application/json")
              .body("{\"namespace\":\"team-a\",\"name\":\"reserved\",\"uid\":\"u\"}")
              .post(path + "/confirm");
      default -> bearer(token).request(method, path);
    };
  }

  @ParameterizedTest
  @CsvSource({"Team-A", "a/b", "''", "team_a", "../x"})
  void aNamespaceThatIsNoneIsRefusedWithoutAReview(String namespace) {
    as("viewer@*")
        .queryParam("namespace", namespace)
        .get("/v1/gpus")
        .then()
        .statusCode(400)
        .body("code", equalTo("bad-namespace"));
  }

  @Test
  void whileRightsAreUnknownNothingIsAllowed() {
    for (String path : List.of("/v1/gpus", "/v1/models", "/v1/explain/team-a/x")) {
      as("unknown")
          .get(path)
          .then()
          .statusCode(503)
          .header("Retry-After", "5")
          .body("code", equalTo("authorization-unavailable"));
    }
    as("unknown")
        .contentType("application/json")
        .body(workload("team-a"))
        .post("/v1/reservations")
        .then()
        .statusCode(503);
  }

  @Test
  void recordsTheAuthenticatedUserOfPromotionsAndRows() {
    String version = steps.trained().label();
    as("operator@*")
        .contentType("application/json")
        .body("{\"override_reason\":\"a drill\"}")
        .post("/v1/predictors/" + version + "/promotion")
        .then()
        .statusCode(200)
        .body("by", equalTo("user operator@*"));
    as("operator@*")
        .contentType("application/json")
        .body("{\"reason\":\"over\"}")
        .post("/v1/predictors/rollback")
        .then()
        .statusCode(200)
        .body("by", equalTo("user operator@*"));

    as("editor@*")
        .contentType("text/csv")
        .body(
            """
            device,batch_size,model,utilization_percent,source
            v100-16gb,77,resnet18,41,cluster
            """)
        .post("/v1/profiles")
        .then()
        .statusCode(200)
        .body("added", equalTo(1));
    as("viewer@*")
        .get("/v1/profiles?limit=1000")
        .then()
        .body("profiles.fields.source", org.hamcrest.Matchers.hasItem("user editor@*: cluster"));
  }
}
