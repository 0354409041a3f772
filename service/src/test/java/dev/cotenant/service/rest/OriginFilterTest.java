package dev.cotenant.service.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.service.RunningService;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.RestAssured;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What reaches an endpoint of the HTTP port, byte by byte as clients send it. */
@QuarkusTest
@TestProfile(RunningService.class)
class OriginFilterTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String OWN = "Host: localhost";

  @Inject ReachedEndpoints reached;

  /** An answer, its head and its body. */
  private record Answer(int status, String head, String body) {
    String code() throws IOException {
      return JSON.readTree(body).path("code").asText();
    }
  }

  private Answer send(String requestLine, String... headers) throws IOException {
    return sendBody("", requestLine, headers);
  }

  private Answer sendBody(String body, String requestLine, String... headers) throws IOException {
    return sendFrom("127.0.0.1", body, requestLine, headers);
  }

  private Answer sendFrom(String address, String body, String requestLine, String... headers)
      throws IOException {
    String head = requestLine + " HTTP/1.1\r\nConnection: close\r\n";
    for (String header : headers) {
      head += header + "\r\n";
    }
    if (!body.isEmpty()) {
      head += "Content-Length: " + body.length() + "\r\n";
    }
    InetAddress from = InetAddress.ofLiteral(address);
    InetAddress to = InetAddress.ofLiteral("127.0.0.1");
    try (Socket socket = new Socket(to, RestAssured.port, from, 0)) {
      socket.getOutputStream().write((head + "\r\n" + body).getBytes(StandardCharsets.UTF_8));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int end = answer.indexOf("\r\n\r\n");
      return new Answer(
          Integer.parseInt(answer.split(" ", 3)[1]),
          answer.substring(0, end),
          answer.substring(end + 4));
    }
  }

  private static JsonNode problem(Answer answer) throws IOException {
    assertThat(answer.head()).contains("application/problem+json");
    JsonNode problem = JSON.readTree(answer.body());
    assertThat(problem.path("status").asInt()).isEqualTo(answer.status());
    assertThat(problem.path("detail").asText()).hasLineCount(1);
    return problem;
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/v1/gpus", "/q/metrics", "/q/health/live", "/q/openapi", "/none"})
  void answersNothingUnderTheNameOfAnother(String path) throws IOException {
    Answer answer = send("GET " + path, "Host: evil.example:" + RestAssured.port);

    assertThat(answer.status()).isEqualTo(403);
    assertThat(problem(answer).path("code").asText()).isEqualTo("host-not-allowed");
    assertThat(answer.body()).contains("'evil.example'", "cotenant.rest.allowed-hosts");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host: user@localhost",
        "Host: [::1%25lo]",
        "Host: localhost\r\nHost: evil.example",
        "Host: a b",
        "Host:",
        "X: y"
      })
  void answersNothingWithoutOneHost(String header) throws IOException {
    Answer answer = send("GET /v1/gpus", header);

    assertThat(answer.status()).isEqualTo(400);
    assertThat(problem(answer).path("code").asText()).isEqualTo("bad-host");
  }

  @Test
  void looksIntoWholeUrlsAsTargets() throws IOException {
    assertThat(send("GET http://localhost/v1/gpus", OWN).status()).isEqualTo(200);
    assertThat(send("GET http://evil.example/v1/gpus", OWN).status()).isEqualTo(400);
    assertThat(send("GET http://evil.example/v1/gpus", "Host: evil.example").status())
        .isEqualTo(403);
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1:8080", "10.244.1.7:8080", "[::1]:8080", "LOCALHOST.:1"})
  void answersProbesAndScrapersThatCallItByAddress(String host) throws IOException {
    for (String path :
        List.of("/q/health/live", "/q/health/ready", "/q/metrics", "/", "/v1/gpus")) {
      assertThat(send("GET " + path, "Host: " + host).status()).as(path).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "POST /v1/trainings, application/json",
    "POST /v1/predictors/rollback, application/json",
    "POST /v1/predictors, application/octet-stream",
    "POST /v1/profiles, text/csv",
    "PUT /v1/models/x, application/octet-stream",
    "DELETE /v1/trainings/x, application/json",
    "GET /v1/gpus, application/json",
    "GET //v1/gpus, application/json",
    "GET /v1/../v1/gpus, application/json",
    "GET /%76%31/gpus, application/json",
  })
  void refusesThePagesOfOthers(String requestLine, String type) throws IOException {
    long before = reached.count();
    for (String origin : List.of("null", "http://evil.example", "http://localhost:1")) {
      Answer answer =
          sendBody("{}", requestLine, OWN, "Origin: " + origin, "Content-Type: " + type);
      assertThat(answer.status()).isEqualTo(403);
      assertThat(problem(answer).path("code").asText()).isEqualTo("cross-origin-request");
    }
    Answer answer =
        sendBody("{}", requestLine, OWN, "Sec-Fetch-Site: same-site", "Content-Type: " + type);
    assertThat(answer.status()).isEqualTo(403);
    assertThat(reached.count()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST /v1/trainings",
        "POST /v1/predictors/rollback",
        "POST /v1/predictors",
        "POST /v1/profiles",
        "POST /v1/decisions",
        "POST /v1/plans",
        "POST /v1/what-if",
        "POST /v1/predictions",
        "POST /v1/reservations",
        "PUT /v1/models/x"
      })
  void takesNoBodyOfATypeThatAnyPageMaySend(String requestLine) throws IOException {
    long before = reached.count();
    assertThat(sendBody("x,y", requestLine, OWN).code()).isEqualTo("content-type-required");
    assertThat(send(requestLine, OWN).code()).isEqualTo("content-type-required");
    for (String type :
        List.of(
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "text/plain; application/json",
            "text/plain,application/json",
            "*/*",
            "garbage")) {
      Answer answer = sendBody("{}", requestLine, OWN, "Content-Type: " + type);
      assertThat(answer.status()).as(type + answer.body()).isIn(400, 415);
    }
    assertThat(reached.count()).isEqualTo(before);
  }

  @Test
  void letsItsOwnPagesAndScriptsThrough() throws IOException {
    String type = "Content-Type: application/json";
    String body = "{\"workload\":{\"model\":\"resnet18\"}}";
    String line = "POST /v1/decisions";
    long before = reached.count();
    assertThat(sendBody(body, line, OWN, type).status()).isEqualTo(200);
    assertThat(sendBody(body, line, OWN, type, "Origin: http://localhost").status()).isEqualTo(200);
    assertThat(send("GET /v1/gpus", OWN, "Sec-Fetch-Site: same-origin").status()).isEqualTo(200);
    assertThat(reached.count()).isEqualTo(before + 3);
  }

  /** Where a mesh's sidecar passes connections on from. */
  @Test
  void takesNoOtherAddressOfLoopbackForThisMachine() throws IOException {
    assertThat(sendFrom("127.0.0.6", "", "GET /v1/gpus", OWN).status()).isEqualTo(401);
    assertThat(
            sendFrom(
                    "127.0.0.6",
                    "",
                    "GET /v1/gpus",
                    OWN,
                    "Authorization: Bearer " + RunningService.REST_TOKEN)
                .status())
        .isEqualTo(200);
    assertThat(sendFrom("127.0.0.6", "", "GET /q/health/live", OWN).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/v1/gpus", "/q/swagger-ui/", "/none"})
  void keepsPagesOfOthersFromFramingAndReading(String path) throws IOException {
    assertThat(send("GET " + path, OWN).head().toLowerCase(java.util.Locale.ROOT))
        .contains(
            "content-security-policy: ",
            "frame-ancestors 'none'",
            "x-frame-options: deny",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cross-origin-resource-policy: same-origin")
        .doesNotContain("access-control-allow");
  }
}
