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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page shows what a server of a language model takes, by its parts. */
@QuarkusTest
@TestProfile(LanguageModelPageTest.OwnCluster.class)
class LanguageModelPageTest {
  private static final String MEMORY = "vllm 0.19 takes ";

  /** A service whose grants no other test sees. */
  public static final class OwnCluster extends RunningService {}

  @Inject WebhookServer webhooks;
  @TempDir private Path folder = Path.of("");

  @TestHTTPResource("/")
  private String page = "";

  @Test
  void decisionsShowTheMemoryOfAServer() throws Exception {
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

    try (Chromium chromium =
        Chromium.open(folder, page, "--dump-dom", "--virtual-time-budget=10000")) {
      String shown = chromium.outputToEnd();
      assertThat(shown)
          .contains(MEMORY, ", needs ", "weights 15.0 GiB", "KV cache of ", " tokens")
          .contains("CUDA graphs ", "set --kv-cache-memory-bytes=");
      assertThat(articlesWithMemory(shown))
          .as("the GPU's card and the decision's row")
          .hasSize(2)
          .allMatch(article -> article.contains("team-a/served"));
    }
  }

  /** What stands before such a memory in its article. */
  private static List<String> articlesWithMemory(String page) {
    List<String> articles = new ArrayList<>();
    for (int at = page.indexOf(MEMORY); at >= 0; at = page.indexOf(MEMORY, at + 1)) {
      articles.add(page.substring(page.lastIndexOf("<article", at), at));
    }
    return articles;
  }
}
