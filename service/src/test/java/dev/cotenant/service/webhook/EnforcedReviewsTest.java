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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Reviews over HTTPS in mode enforce: the patches are those of the admission module's golden files,
 * but for the admission id, which is random here.
 */
@QuarkusTest
@TestProfile(EnforcingService.class)
class EnforcedReviewsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path RESOURCES =
      RunningService.root().resolve("admission/src/test/resources");

  @Inject WebhookServer server;

  private JsonNode answer(Path review) throws IOException {
    HttpResponse<String> response =
        new WebhookClient(server.port()).post("/webhooks/mutate", Files.readAllBytes(review));
    assertThat(response.statusCode()).isEqualTo(200);
    return JSON.readTree(response.body()).path("response");
  }

  private void assertAsGolden(Path review, Path folder) throws IOException {
    Path golden = folder.resolve(review.getFileName().toString().replace(".json", ".txt"));
    List<String> section =
        Files.readAllLines(golden).stream()
            .dropWhile(line -> !line.equals("in mode enforce:"))
            .takeWhile(line -> !line.equals("with visible devices:"))
            .toList();
    JsonNode answer = answer(review);
    List<String> patch = new ArrayList<>();
    if (answer.has("patch")) {
      JSON.readTree(answer.path("patch").binaryValue())
          .forEach(operation -> patch.add("  - " + operation));
    }
    assertThat(patch.stream().map(EnforcedReviewsTest::withoutAdmissionId))
        .as(review.toString())
        .containsExactlyElementsOf(
            section.stream()
                .filter(line -> line.startsWith("  - {\"op\""))
                .map(EnforcedReviewsTest::withoutAdmissionId)
                .toList());
    assertThat(section).contains("  allowed: " + answer.path("allowed"));
  }

  private static String withoutAdmissionId(String operation) {
    return operation.replaceAll("(dev(~1|/)admission-id\"(,\"value\")?:\")[^\"]*", "$1");
  }

  private static List<Path> mutating(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> reviews =
          files
              .filter(file -> file.getFileName().toString().contains("mutating-"))
              .filter(file -> file.toString().endsWith(".json"))
              .sorted()
              .toList();
      assertThat(reviews).isNotEmpty();
      return reviews;
    }
  }

  @Test
  void answersOwnReviewsAsTheirGoldensSay() throws IOException {
    for (Path review : mutating(RESOURCES.resolve("reviews"))) {
      assertAsGolden(review, RESOURCES.resolve("golden/own"));
    }
    assertThat(given().get("/q/metrics").asString())
        .contains("outcome=\"gated\"")
        .contains("cotenant_webhook_unmanaged_total{cause=\"node-named\"}")
        .contains("cotenant_webhook_duration_seconds_bucket{webhook=\"mutate\",le=\"0.01\"}")
        .contains("dry_run=\"true\"")
        .doesNotContain("cotenant_decisions_total{");
  }

  @Test
  void answersRecordedReviewsAsTheirGoldensSay() throws IOException {
    for (Path review : mutating(OutsideData.require("admission-reviews"))) {
      assertAsGolden(review, RESOURCES.resolve("golden/recorded"));
    }
  }
}
