package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.llm.serving.VllmVersion;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.access.Endpoint;
import dev.cotenant.service.webhook.WebhookClient;
import dev.cotenant.service.webhook.WebhookServer;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sends every example request of the OpenAPI document and compares the answers' keys. */
@QuarkusTest
@TestProfile(RunningService.class)
class OpenApiTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Set<String> OPEN = Set.of("numbers", "metrics", "fields", "parent");
  private static final String COMPONENTS = "#/components/examples/";
  @Inject WebhookServer webhooks;
  @Inject LifeCycleSteps steps;

  private String reserved = "none";

  private record Call(
      String method, String path, String contentType, String name, JsonNode request) {}

  private static JsonNode document() throws IOException {
    return JSON.readTree(given().accept("application/json").get("/q/openapi").asByteArray());
  }

  /** A new endpoint has a line in the table of rights, or this fails and nobody may call it. */
  @Test
  void listsExactlyTheEndpointsOfTheTableOfRights() throws IOException {
    Set<String> listed = new TreeSet<>();
    document()
        .path("paths")
        .properties()
        .forEach(path ->
            path.getValue()
                .properties()
                .forEach(method -> listed.add(method.getKey() + " " + path.getKey())));
    assertThat(listed)
        .isEqualTo(
            Arrays.stream(Endpoint.values())
                .map(Endpoint::call)
                .filter(call -> call.contains(" /v1/"))
                .map(call -> call.replace(word(call), word(call).toLowerCase(Locale.ROOT)))
                .collect(Collectors.toCollection(TreeSet::new)));
  }

  private static String word(String call) {
    return call.substring(0, call.indexOf(' '));
  }

  @Test
  void saysOfEveryEndpointHowItRefusesCallers() throws IOException {
    document()
        .path("paths")
        .forEach(path ->
            path.forEach(operation ->
                assertThat(operation.path("responses").fieldNames())
                    .toIterable()
                    .contains("401", "403", "429", "503")));
  }

  @Test
  void describesEveryPropertyAndSaysWhichAreAlwaysThere() throws IOException {
    List<String> bare = new ArrayList<>();
    Set<String> used = new TreeSet<>();
    for (Map.Entry<String, JsonNode> schema : document().at("/components/schemas").properties()) {
      for (Map.Entry<String, JsonNode> property :
          schema.getValue().path("properties").properties()) {
        String name = schema.getKey() + "." + property.getKey();
        if (property.getValue().path("description").asText().isEmpty()) {
          bare.add(name);
        }
        used.add(name);
        used.add(property.getKey());
      }
    }
    assertThat(bare).as("add them to META-INF/openapi-properties.properties").isEmpty();
    assertThat(used).containsAll(OpenApiSchemas.descriptions().stringPropertyNames());
    assertThat(document().at("/components/schemas/GpuView/required").valueStream())
        .extracting(JsonNode::asText)
        .contains("uuid", "node", "tenants")
        .doesNotContain("holder");
  }

  @Test
  void namesAndGroupsEveryOperation() throws IOException {
    Set<String> names = new TreeSet<>();
    document()
        .path("paths")
        .forEach(path ->
            path.forEach(operation -> {
              assertThat(names.add(operation.path("operationId").asText())).isTrue();
              assertThat(operation.at("/tags/0").asText()).doesNotContain("Resource");
              assertThat(operation.path("summary").asText()).isNotEmpty();
            }));
    assertThat(names).contains("getGpus", "postReservations").doesNotContain("");
    assertThat(document().at("/components/securitySchemes/token/scheme").asText())
        .isEqualTo("bearer");
    assertThat(document().path("security")).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "get, /v1/gpus/{uuid}, 404",
    "get, /v1/gpus, 410",
    "put, /v1/models/{name}, 404 412 413 415 422 428 507",
    "delete, /v1/predictors/{version}, 404 409",
    "post, /v1/predictions, 404 413 415 422",
    "post, /v1/reservations, 404 409 422",
    "post, /v1/reservations/{id}/confirm, 404 409 410 412",
    "get, /v1/recommendations, 404 409",
  })
  void saysHowAnOperationCanFail(String method, String path, String statuses) throws IOException {
    JsonNode responses = document().path("paths").path(path).path(method).path("responses");
    String[] expected = statuses.split(" ", -1);
    assertThat(responses.fieldNames()).toIterable().contains(expected);
    for (String status : expected) {
      assertThat(responses.path(status).path("content").fieldNames())
          .toIterable()
          .containsExactly(ProblemView.MEDIA_TYPE);
    }
    assertThat(document().path("paths").path("/v1/devices").path("get").path("responses"))
        .hasSize(1 + 5); // as every operation: OK, and how callers are refused
  }

  @Test
  void isServedWithAPageToTryIt() {
    given().get("/q/swagger-ui/").then().statusCode(200);
    given()
        .redirects()
        .follow(false)
        .get("/api")
        .then()
        .statusCode(302)
        .header("Location", "q/swagger-ui/");
  }

  @AfterEach
  void leaveNothingReserved() {
    release();
  }

  @TestFactory
  List<DynamicTest> answersEveryExampleRequestWithTheKeysOfTheExampleResponse() throws IOException {
    // One decision for the history, of the kind that its example shows.
    new WebhookClient(webhooks.port())
        .post("/webhooks/mutate", WebhookClient.review("resnet50", 8));
    // A version that was promoted, so that there is a way back, and a training that is known.
    String version = steps.promoted();
    String training = steps.trainingOf(version);
    storeProfiles();
    storeFleet();
    steps.learnConstants("team-a", new VllmVersion(0, 24));
    List<DynamicTest> tests = new ArrayList<>();
    for (Map.Entry<String, JsonNode> path : document().path("paths").properties()) {
      for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
        JsonNode operation = method.getValue();
        JsonNode content = operation.at("/responses/200/content");
        if (content.has("text/event-stream") || content.has("text/plain")) {
          continue; // events go on for minutes, and metrics are no JSON: tests of their own read
          // them
        }
        for (Call call : calls(method.getKey(), path.getKey(), operation)) {
          tests.add(
              DynamicTest.dynamicTest(
                  call.method() + " " + call.path() + " " + call.contentType(),
                  () ->
                      compare(
                          known(call, version, training),
                          responseExample(operation, call.name()))));
        }
      }
    }
    return tests;
  }

  /** With names that exist in place of those of the examples; what is cancelled must be open. */
  private Call known(Call call, String version, String training) throws IOException {
    if (call.method().equals("DELETE")) {
      return deletable(call);
    }
    String path = call.path().replace(Examples.PREDICTOR, version);
    if (path.contains(Examples.TRAINING)) {
      path = path.replace(Examples.TRAINING, training);
    } else if (call.method().equals("POST") && path.equals("/v1/trainings")) {
      steps.endTrainings();
    } else if (call.method().equals("PUT")) {
      given().delete(path); // the name is new
    } else if (path.contains("/v1/reservations/") || path.contains("/v1/explain")) {
      path = path.replace(Examples.RESERVATION, reservedAnew());
    } else if (path.equals("/v1/reservations")) {
      release(); // there is capacity for one
    }
    return new Call(call.method(), path, call.contentType(), call.name(), call.request());
  }

  /** With an object that exists and that nothing needs. */
  private Call deletable(Call call) throws IOException {
    String path = call.path();
    if (path.startsWith("/v1/service-profiles/")) {
      storeProfiles();
    } else if (path.startsWith("/v1/fleets/")) {
      storeFleet();
    } else if (path.startsWith("/v1/profiles?")) {
      steps.addRowOf("local: example");
    } else if (path.startsWith("/v1/profiles/")) {
      path = "/v1/profiles/" + steps.addRowOf("local: another");
    } else if (path.startsWith("/v1/models/")) {
      given()
          .contentType("application/octet-stream")
          .body(Files.readAllBytes(RunningService.root().resolve(Examples.MODEL_FILE)))
          .put(path);
    } else if (path.startsWith("/v1/predictors/")) {
      steps.addRowOf("local: more");
      path = path.replace(Examples.PREDICTOR, steps.trained().label());
    } else if (path.startsWith("/v1/trainings/")) {
      path = path.replace(Examples.TRAINING, steps.openTraining());
    } else {
      path = path.replace(Examples.RESERVATION, reservedAnew());
    }
    return new Call(call.method(), path, call.contentType(), call.name(), call.request());
  }

  private static void storeFleet() throws IOException {
    given()
        .contentType("application/json")
        .body(example("watched-fleet").toString())
        .post("/v1/fleets?name=chat")
        .then()
        .statusCode(200);
  }

  private static void storeProfiles() throws IOException {
    given()
        .contentType("application/octet-stream")
        .body(Files.readAllBytes(RunningService.root().resolve(Examples.SERVICE_PROFILES)))
        .post("/v1/service-profiles")
        .then()
        .statusCode(200);
  }

  /** The reservation of the example, the only one that there is. */
  private String reservedAnew() throws IOException {
    release();
    reserved =
        given()
            .contentType("application/json")
            .header(IdempotencyKey.HEADER, UUID.randomUUID().toString())
            .body(example("reserve").toString())
            .post("/v1/reservations")
            .then()
            .statusCode(201)
            .extract()
            .path("id");
    return reserved;
  }

  private void release() {
    given().delete("/v1/reservations/" + reserved);
    reserved = "none";
  }

  private void compare(Call call, JsonNode example) throws IOException {
    Response response = send(call);
    if (call.path().equals("/v1/reservations")) {
      reserved = response.path("id");
    }
    assertThat(response.statusCode()).as(response.asString()).isIn(200, 201, 202);
    JsonNode answer = JSON.readTree(response.asByteArray());
    assertThat(keys("", example)).isNotEmpty();
    assertThat(keys("", answer)).containsAll(keys("", example));
  }

  private static Response send(Call call) throws IOException {
    RequestSpecification request =
        given().header(IdempotencyKey.HEADER, UUID.randomUUID().toString());
    if (call.contentType().equals("text/csv")) {
      request.contentType(call.contentType()).body(call.request().textValue());
    } else if (call.contentType().equals("application/json")) {
      request.contentType(call.contentType()).body(call.request().toString());
    } else if (call.contentType().equals("application/octet-stream")) {
      request
          .contentType(call.contentType())
          .queryParams(
              call.path().equals("/v1/predictions") ? Map.of("device", "a100-40gb") : Map.of())
          .body(Files.readAllBytes(RunningService.root().resolve(call.request().textValue())));
    }
    return request.request(call.method(), call.path());
  }

  private static List<Call> calls(String method, String path, JsonNode operation)
      throws IOException {
    String filled = path;
    for (JsonNode parameter : operation.path("parameters")) {
      String name = parameter.path("name").asText();
      String example = parameter.path("example").asText();
      filled = filled.replace("{" + name + "}", example);
      if (parameter.path("required").asBoolean() && parameter.path("in").asText().equals("query")) {
        filled += "?" + name + "=" + example;
      }
    }
    JsonNode content = operation.path("requestBody").path("content");
    if (content.isMissingNode()) {
      return List.of(
          new Call(method.toUpperCase(Locale.ROOT), filled, "none", "none", JSON.nullNode()));
    }
    List<Call> calls = new ArrayList<>();
    for (Map.Entry<String, JsonNode> type : content.properties()) {
      JsonNode examples = type.getValue().path("examples");
      assertThat(examples).as("examples of " + method + " " + path).isNotEmpty();
      for (Map.Entry<String, JsonNode> named : examples.properties()) {
        JsonNode example = named.getValue();
        JsonNode request =
            example.has("externalValue") ? example.path("externalValue") : referenced(example);
        calls.add(
            new Call(
                method.toUpperCase(Locale.ROOT), filled, type.getKey(), named.getKey(), request));
      }
    }
    return calls;
  }

  /** The example response of the request's name, else the only one without such a name. */
  private static JsonNode responseExample(JsonNode operation, String request) throws IOException {
    JsonNode responses = operation.path("responses");
    String good = Stream.of("202", "201").filter(responses::has).findFirst().orElse("200");
    JsonNode content = responses.path(good).path("content");
    JsonNode examples = content.path("application/json").path("examples");
    String name = examples.has(request) ? request : "answer";
    assertThat(examples.has(name)).as("example response of " + operation.path("summary")).isTrue();
    return referenced(examples.path(name));
  }

  private static JsonNode referenced(JsonNode example) throws IOException {
    if (example.has("value")) {
      return example.path("value");
    }
    String reference = example.path("$ref").asText();
    assertThat(reference).as(example.toString()).startsWith(COMPONENTS);
    return example(reference.substring(COMPONENTS.length()));
  }

  private static JsonNode example(String name) throws IOException {
    JsonNode value = document().at("/components/examples/" + name + "/value");
    assertThat(value.isMissingNode()).as("example " + name).isFalse();
    return value;
  }

  /** An example that no operation refers to would not be checked. */
  @Test
  void refersToEveryExample() throws IOException {
    String document = document().toString();
    document()
        .at("/components/examples")
        .fieldNames()
        .forEachRemaining(
            name -> assertThat(document).contains("\"#/components/examples/" + name + "\""));
  }

  /** Paths of all keys; an array's are those of all its elements. */
  private static Set<String> keys(String at, JsonNode node) {
    Set<String> keys = new TreeSet<>();
    node.properties()
        .forEach(entry -> {
          String path = at + "/" + entry.getKey();
          keys.add(path);
          if (!OPEN.contains(entry.getKey())) { // each has keys of its own
            keys.addAll(keys(path, entry.getValue()));
          }
        });
    if (node.isArray()) {
      node.forEach(element -> keys.addAll(keys(at + "[]", element)));
    }
    return keys.stream().collect(Collectors.toCollection(TreeSet::new));
  }
}
