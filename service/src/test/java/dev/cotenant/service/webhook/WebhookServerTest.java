package dev.cotenant.service.webhook;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.service.RunningService;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
@TestProfile(RunningService.class)
class WebhookServerTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Inject WebhookServer server;
  private WebhookClient client;

  @BeforeEach
  void connect() {
    client = new WebhookClient(server.port());
  }

  private JsonNode answer(String path, byte[] body) throws IOException {
    HttpResponse<String> response = client.post(path, body);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("content-type")).contains("application/json");
    return JSON.readTree(response.body());
  }

  private static double failedOpen(String cause) {
    return given()
        .get("/q/metrics")
        .asString()
        .lines()
        .filter(line -> line.startsWith("cotenant_webhook_failed_open_total"))
        .filter(line -> line.contains("cause=\"" + cause + "\""))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  @Test
  void saysThatThePortIsOpen() {
    assertThat(client.get("/healthz").statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/webhooks/mutate", "/webhooks/validate"})
  void failsOpenOnGarbageAndCountsIt(String path) throws IOException {
    double before = failedOpen("not-json");
    for (String garbage : List.of("", "garbage", "{\"kind\":", "\u0000")) {
      JsonNode review = answer(path, garbage.getBytes(StandardCharsets.UTF_8));
      assertThat(review.path("kind").asText()).isEqualTo("AdmissionReview");
      assertThat(review.path("response").path("allowed").booleanValue()).isTrue();
    }
    assertThat(failedOpen("not-json")).isGreaterThan(before);
  }

  @Test
  void failsOpenOnABodyBeyondEveryLimit() throws IOException {
    double before = failedOpen("review-too-large");
    JsonNode review =
        answer("/webhooks/mutate", new byte[WebhookRouting.MAX_BODY_BYTES + (4 << 20)]);
    assertThat(review.path("response").path("allowed").booleanValue()).isTrue();
    assertThat(failedOpen("review-too-large")).isEqualTo(before + 1);
  }

  @Test
  void answersOtherPathsAndMethodsWithPlainErrors() {
    assertThat(client.get("/webhooks/mutate").statusCode()).isEqualTo(405);
    assertThat(client.post("/healthz", new byte[0]).statusCode()).isEqualTo(405);
    for (String path :
        List.of("/", "/v1", "/webhooks", "/webhooks/mutate/", "/q/metrics", "/extender")) {
      assertThat(client.post(path, new byte[0]).statusCode()).as(path).isEqualTo(404);
    }
  }

  @Test
  void servesNoWebhooksOverPlainHttp() {
    given().body("{}").post("/webhooks/mutate").then().statusCode(404);
  }

  @Test
  void remembersDecisionsNewestFirstAndCountsThem() throws IOException {
    JsonNode review = answer("/webhooks/mutate", WebhookClient.review("resnet50", 8));
    assertThat(review.path("response").path("allowed").booleanValue()).isFalse();
    assertThat(review.path("response").path("status").path("message").textValue()).contains("1. ");
    JsonNode newest =
        JSON.readTree(given().get("/v1/decisions?limit=1").asByteArray()).path("decisions").get(0);
    assertThat(newest.path("pod").textValue()).isEqualTo("team-a/train");
    assertThat(given().get("/q/metrics").asString())
        .contains("cotenant_decisions_total{")
        .contains("cotenant_webhook_duration_seconds_count{webhook=\"mutate\"}")
        .contains("cotenant_immediate_grants{state=\"allocated\"}")
        .contains("cotenant_gpu_memory_sample_age_seconds{gpu=")
        .doesNotContain("team-a/train");
  }

  @Test
  void answersEveryRecordedReview() throws IOException {
    Path directory = OutsideData.require("admission-reviews");
    List<Path> recorded;
    try (Stream<Path> files = Files.list(directory)) {
      recorded = files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
    assertThat(recorded).isNotEmpty();
    for (Path file : recorded) {
      byte[] body = Files.readAllBytes(file);
      boolean mutating = file.getFileName().toString().contains("-mutating-");
      JsonNode answer = answer(mutating ? "/webhooks/mutate" : "/webhooks/validate", body);
      assertThat(answer.path("response").path("uid").textValue())
          .as(file.toString())
          .isEqualTo(JSON.readTree(body).path("request").path("uid").textValue());
      assertThat(answer.path("response").path("allowed").isBoolean()).isTrue();
    }
  }

  @Test
  void keepsItsKeyToItself() throws IOException {
    Path store = RunningService.dataDirectory().resolve(ServingCertificate.FILE_NAME);
    assertThat(
            java.nio.file.attribute.PosixFilePermissions.toString(
                Files.getPosixFilePermissions(store)))
        .isEqualTo("rw-------");
  }
}
