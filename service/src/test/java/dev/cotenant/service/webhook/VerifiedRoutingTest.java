package dev.cotenant.service.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.access.FakeTokens;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** REST and the scheduler extender on the HTTPS port, from this machine and yet with a token. */
@QuarkusTest
@TestProfile(RunningService.class)
class VerifiedRoutingTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CONFIGURED = "Bearer " + RunningService.REST_TOKEN;
  private static final byte[] NOTHING = new byte[0];

  /** The only pod of these tests that is ours; its nodes come in full, so nothing is held. */
  private static final byte[] ARGUMENTS =
      """
      {"Pod": {"metadata": {"name": "t", "uid": "u",
          "annotations": {"cotenant.dev/model": "resnet18"}},
        "spec": {"containers": [
          {"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}},
       "Nodes": {"items": [{"metadata": {"name": "gpu-2"}}, {"metadata": {"name": "cpu-1"}}]}}
      """
          .getBytes(StandardCharsets.UTF_8);

  @Inject WebhookServer server;
  private WebhookClient client;

  @BeforeEach
  void connect() {
    client = new WebhookClient(server.port());
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "Bearer",
        "Bearer wrong",
        "nonsense",
        "Bearer " + FakeTokens.OTHER_AUDIENCE,
        "Bearer " + FakeTokens.EXPIRED
      })
  void givesNothingToCallersThatDoNotProveWhoTheyAre(@Nullable String authorization)
      throws IOException {
    for (String path :
        List.of(
            "/v1/gpus",
            "/v1/queue",
            "/v1/nothing",
            "/extender/filter",
            "/extender/nothing",
            "/v1/gpus/../x")) {
      HttpResponse<String> response = client.send("POST", path, authorization, ARGUMENTS);
      assertThat(response.statusCode()).as(path).isEqualTo(401);
      assertThat(response.headers().firstValue("www-authenticate")).isPresent();
      assertThat(JSON.readTree(response.body()).path("code").asText()).isEqualTo("token-required");
      assertThat(response.body()).doesNotContain("gpu-2", "another audience");
    }
  }

  @Test
  void refusesKubectlWithAnObjectThatItPrints() throws IOException {
    for (String query : List.of("output=text", "limit=x&output=json")) {
      HttpResponse<String> unknown =
          client.send("GET", "/v1/queue?" + query, "Bearer wrong", NOTHING);
      assertThat(unknown.statusCode()).isEqualTo(401);
      assertThat(JSON.readTree(unknown.body()).path("kind").asText()).isEqualTo("Status");
      assertThat(JSON.readTree(unknown.body()).path("message").asText()).contains("token");
    }
    HttpResponse<String> down =
        client.send("GET", "/v1/queue?output=text", "Bearer " + FakeTokens.SERVER_DOWN, NOTHING);
    assertThat(down.headers().firstValue("retry-after")).isEmpty();
    assertThat(JSON.readTree(down.body()).path("message").asText()).endsWith("Try again in 5 s.");
  }

  @Test
  void givesNothingWhileNobodyCanSayWhoTheyAre() throws IOException {
    for (String path : List.of("/v1/gpus", "/extender/filter")) {
      HttpResponse<String> response =
          client.send("POST", path, "Bearer " + FakeTokens.SERVER_DOWN, ARGUMENTS);
      assertThat(response.statusCode()).isEqualTo(503);
      assertThat(response.headers().firstValue("retry-after")).contains("5");
      assertThat(JSON.readTree(response.body()).path("code").asText())
          .isEqualTo("tokens-unavailable");
    }
  }

  @Test
  void givesNothingToCallersWithoutARight() throws IOException {
    String mallory = "Bearer " + FakeTokens.WITHOUT_RIGHTS;
    for (String path : List.of("/extender/filter", "/extender/prioritize", "/v1/predictions")) {
      HttpResponse<String> response = client.send("POST", path, mallory, ARGUMENTS);
      assertThat(response.statusCode()).as(path).isEqualTo(403);
      JsonNode problem = JSON.readTree(response.body());
      assertThat(problem.path("code").asText()).isEqualTo("forbidden");
      assertThat(problem.path("detail").asText())
          .contains("system:serviceaccount:mallory:default may not create")
          .contains("in the whole cluster")
          .contains("kubectl create clusterrolebinding NAME --clusterrole=cotenant-")
          .contains("--serviceaccount=mallory:default");
    }
    assertThat(client.send("GET", "/extender/filter", mallory, NOTHING).statusCode())
        .isEqualTo(403);
  }

  @Test
  void givesNothingWhileNobodyCanSayWhatTheyMayDo() throws IOException {
    for (String path : List.of("/extender/filter", "/v1/predictions")) {
      HttpResponse<String> response =
          client.send("POST", path, "Bearer " + FakeTokens.RIGHTS_UNKNOWN, ARGUMENTS);
      assertThat(response.statusCode()).as(path).isEqualTo(503);
      assertThat(response.headers().firstValue("retry-after")).contains("5");
      assertThat(JSON.readTree(response.body()).path("code").asText())
          .isEqualTo("authorization-unavailable");
    }
  }

  @Test
  void sendsCallersAwayForAWhileThatBringTooManyTokens() throws IOException {
    for (String path : List.of("/extender/filter", "/v1/gpus")) {
      HttpResponse<String> response =
          client.send("POST", path, "Bearer " + FakeTokens.ONE_TOO_MANY, ARGUMENTS);
      assertThat(response.statusCode()).as(path).isEqualTo(429);
      assertThat(response.headers().firstValue("retry-after")).contains("3");
      assertThat(JSON.readTree(response.body()).path("code").asText())
          .isEqualTo("too-many-unknown-tokens");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {CONFIGURED, "Bearer " + FakeTokens.GOOD})
  void answersRestToThoseWhoDo(String authorization) throws IOException {
    HttpResponse<String> gpus = client.send("GET", "/v1/gpus", authorization, NOTHING);
    assertThat(gpus.statusCode()).as(gpus.headers() + gpus.body()).isEqualTo(200);
    assertThat(JSON.readTree(gpus.body()).path("gpus")).isNotEmpty();
    HttpResponse<String> decided =
        client.send(
            "POST",
            "/v1/decisions",
            authorization,
            "{\"workload\":{\"model\":\"resnet18\"}}".getBytes(StandardCharsets.UTF_8));
    assertThat(decided.statusCode()).isEqualTo(200);
    assertThat(JSON.readTree(decided.body()).path("decision").path("result").isTextual()).isTrue();
    HttpResponse<String> nothing = client.send("GET", "/v1/nothing", authorization, NOTHING);
    assertThat(nothing.statusCode()).isEqualTo(404);
    assertThat(nothing.headers().firstValue("content-type")).contains("application/problem+json");
  }

  @Test
  void goesOnAfterBodiesThatNobodyReads() {
    byte[] model = new byte[RunningService.MAX_UPLOAD_BYTES + 1];
    for (int i = 0; i < 5; i++) {
      assertThat(client.send("PUT", "/v1/models/x", CONFIGURED, model).statusCode()).isIn(413, 415);
      assertThat(client.send("POST", "/v1/nothing", CONFIGURED, model).statusCode()).isEqualTo(404);
      assertThat(client.send("GET", "/v1/gpus", CONFIGURED, NOTHING).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void answersTheScheduler() throws IOException {
    String password = basic(RunningService.REST_TOKEN);
    for (String authorization : List.of(CONFIGURED, password)) {
      HttpResponse<String> response =
          client.send("POST", "/extender/filter", authorization, ARGUMENTS);
      assertThat(response.statusCode()).isEqualTo(200);
      JsonNode result = JSON.readTree(response.body());
      assertThat(result.path("Error").asText()).isEmpty();
      assertThat(result.path("FailedAndUnresolvableNodes").has("cpu-1")).isTrue();
    }
    HttpResponse<String> scores =
        client.send("POST", "/extender/prioritize", CONFIGURED, ARGUMENTS);
    assertThat(JSON.readTree(scores.body())).hasSize(2);
    assertThat(client.send("GET", "/v1/gpus", password, NOTHING).statusCode()).isEqualTo(401);
  }

  /** kube-scheduler prints its URL, which has the token, with any other status. */
  @ParameterizedTest
  @CsvSource({
    "wrong, /extender/filter, Callers need",
    FakeTokens.SERVER_DOWN + ", /extender/bind, does not respond",
    FakeTokens.WITHOUT_RIGHTS + ", /extender/filter, may not create",
    FakeTokens.RIGHTS_UNKNOWN + ", /extender/prioritize, does not respond",
    FakeTokens.ONE_TOO_MANY + ", /extender/filter, Too many recent requests",
    RunningService.REST_TOKEN + ", /extender/nothing, no such verb",
  })
  void refusesTheSchedulerWithStatus200(String token, String path, String why) throws IOException {
    HttpResponse<String> response = client.send("POST", path, basic(token), ARGUMENTS);

    assertThat(response.statusCode()).isEqualTo(200);
    JsonNode result = JSON.readTree(response.body());
    assertThat(result.size()).isEqualTo(1);
    assertThat(result.path("Error").asText()).startsWith("cotenant: ").contains(why);
  }

  private static String basic(String token) {
    byte[] credentials = ("scheduler:" + token).getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(credentials);
  }

  @Test
  void answersTheSchedulerWithStatus200WhateverItSends() throws IOException {
    for (String garbage : List.of("", "garbage", "[]", "{\"Pod\":7}")) {
      HttpResponse<String> response =
          client.send(
              "POST", "/extender/filter", CONFIGURED, garbage.getBytes(StandardCharsets.UTF_8));
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(JSON.readTree(response.body()).path("Error").asText()).isNotEmpty();
    }
    assertThat(client.send("GET", "/extender/filter", CONFIGURED, NOTHING).statusCode())
        .isEqualTo(405);
  }

  @Test
  void asksNobodyWhoSendsAReview() {
    assertThat(client.post("/webhooks/validate", "x".getBytes(StandardCharsets.UTF_8)).statusCode())
        .isEqualTo(200);
    assertThat(client.get("/healthz").statusCode()).isEqualTo(200);
  }
}
