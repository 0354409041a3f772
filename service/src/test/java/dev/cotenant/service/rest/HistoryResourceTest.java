package dev.cotenant.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.access.Visibility;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the cluster looked like, and the stream of what changes. */
@QuarkusTest
@TestProfile(RunningService.class)
class HistoryResourceTest {
  private static final String GPU = "GPU-5f3a0001-0000-4000-8000-000000000001";
  private static final int MAX_STREAMS = 64;

  @TestHTTPResource("/v1/events")
  private String events = "";

  private final HttpClient client = HttpClient.newHttpClient();

  private HttpResponse<InputStream> stream(String query) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create(events + query))
            .header("Accept", "text/event-stream")
            .build(),
        HttpResponse.BodyHandlers.ofInputStream());
  }

  private static BufferedReader reader(HttpResponse<InputStream> response) {
    return new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
  }

  private static JsonNode next(BufferedReader reader) throws IOException {
    String line = reader.readLine();
    while (line != null && !line.startsWith("data:")) {
      line = reader.readLine();
    }
    return new ObjectMapper().readTree(String.valueOf(line).substring("data:".length()));
  }

  @Test
  void hasTheMinuteOfTheStart() {
    given()
        .get("/v1/history?hours=1")
        .then()
        .statusCode(200)
        .body("step_minutes", equalTo(1))
        .body("points[-1].figures.gpus", equalTo(4.0f))
        .body("points[-1].figures.containsKey('waiting_pods')", equalTo(true));
    given()
        .get("/v1/gpus/" + GPU + "/history")
        .then()
        .body("points[-1].used_bytes", equalTo(6_442_450_944L))
        .body("points[-1].tenants[0]", equalTo("team-b/serving"));
    given().get("/v1/gpus/none/history").then().statusCode(200).body("points", hasSize(0));
    given().get("/v1/gpus/" + GPU).then().body("tenants[0].name", equalTo("team-b/serving"));
    given().get("/v1/gpus/none").then().statusCode(404).body("code", equalTo("unknown-gpu"));
  }

  @Test
  void hidesTheNamesOfOtherNamespaces() throws Exception {
    given()
        .get("/v1/history?namespace=team-a")
        .then()
        .body("points[-1].figures.containsKey('waiting_pods')", equalTo(false));
    for (String path : List.of("/v1/gpus/" + GPU + "/history?namespace=team-a")) {
      assertThat(given().get(path).asString()).contains(Visibility.HIDDEN).doesNotContain("team-b");
    }
    try (BufferedReader reader = reader(stream("?namespace=team-a"))) {
      assertThat(next(reader).toString()).contains(Visibility.HIDDEN).doesNotContain("team-b");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "9601", "1e3", "99999999999", "x", "%00"})
  void refusesHoursThatAreNone(String hours) {
    for (String path : List.of("/v1/history", "/v1/gpus/" + GPU + "/history")) {
      given()
          .urlEncodingEnabled(false)
          .get(path + "?hours=" + hours)
          .then()
          .statusCode(400)
          .body("detail", containsString("Parameter hours"));
    }
  }

  @Test
  void streamsEverythingFirstAndThenWhatChanges() throws Exception {
    HttpResponse<InputStream> response = stream("");
    assertThat(response.headers().firstValue("content-type")).hasValue("text/event-stream");
    try (BufferedReader reader = reader(response)) {
      JsonNode first = next(reader);
      assertThat(first.path("gpus")).hasSize(4);
      assertThat(first.at("/cluster/source").asText()).isEqualTo("recorded");
      assertThat(first.at("/figures/gpus").asInt()).isEqualTo(4);
      assertThat(first.has("waiting")).as("no gate decides").isFalse();
      JsonNode second = next(reader);
      assertThat(second.path("gpus")).isEmpty();
      assertThat(Instant.parse(second.path("at").asText()))
          .isAfter(Instant.parse(first.path("at").asText()));
    }
  }

  @Test
  void endsAfterTheFirstEventForWhoDoesNotFollow() {
    assertThat(given().get("/v1/events").then().statusCode(200).extract().asString().strip())
        .startsWith("data:{\"at\":")
        .doesNotContain("\n");
  }

  @Test
  void opensSoManyStreamsAndOneMoreOnceOneIsClosed() throws Exception {
    List<BufferedReader> open = new ArrayList<>();
    try {
      HttpResponse<InputStream> last = stream("");
      Instant end = Instant.now().plus(Duration.ofMinutes(2));
      while (last.statusCode() == 200 && open.size() <= MAX_STREAMS) {
        open.add(reader(last));
        last = stream("");
      }
      assertThat(open).hasSizeBetween(1, MAX_STREAMS);
      assertThat(last.statusCode()).isEqualTo(503);
      assertThat(new String(last.body().readAllBytes(), StandardCharsets.UTF_8))
          .contains("streams-busy");
      open.removeLast().close();
      while (last.statusCode() != 200) {
        assertThat(Instant.now()).as("waiting for a free stream").isBefore(end);
        Thread.sleep(100);
        last = stream("");
      }
      open.add(reader(last));
    } finally {
      for (BufferedReader reader : open) {
        reader.close();
      }
    }
  }
}
