package dev.cotenant.service.browser;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.engine.testing.MeasuredServers;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.webhook.WebhookClient;
import dev.cotenant.service.webhook.WebhookServer;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The page shows what a server of a language model takes, by its parts. */
@QuarkusTest
@TestProfile(RunningService.class)
class LanguageModelPageTest {
  @Inject WebhookServer webhooks;

  @TestHTTPResource("/")
  private String address = "";

  @Test
  void aPodShowsTheMemoryOfItsServer() throws Exception {
    given()
        .contentType("application/json")
        .body(MeasuredServers.DESCRIPTION)
        .put("/v1/models/llama-of-the-page")
        .then()
        .statusCode(200);
    String review =
        """
        {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
          "uid": "u-1", "kind": {"group": "", "version": "v1", "kind": "Pod"},
          "operation": "CREATE", "namespace": "team-a", "userInfo": {"username": "me"},
          "object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "served"},
            "spec": {"containers": [
              {"name": "main", "image": "vllm/vllm-openai:v0.19.0",
               "args": ["--model", "llama-of-the-page", "--max-model-len", "8192"],
               "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}}}}
        """;
    new WebhookClient(webhooks.port())
        .post("/webhooks/mutate", review.getBytes(StandardCharsets.UTF_8));

    try (DevTools page = DevTools.open(address + "#/pods/team-a/served", 1280, 900)) {
      page.awaitText("vllm 0.19 takes ");
      assertThat(page.text())
          .contains(", needs ", "weights 15.0 GiB", "KV cache of ", " tokens")
          .contains("CUDA graphs ", "set --kv-cache-memory-bytes=");
      assertThat(page.complaints()).isEmpty();
    }
  }
}
