package dev.cotenant.service.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.service.RunningService;
import dev.cotenant.service.cluster.MetricsServer;
import dev.cotenant.service.webhook.WebhookClient;
import dev.cotenant.service.webhook.WebhookServer;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every view of a cluster whose metrics are read. */
@QuarkusTest
@TestProfile(LivePageTest.OnPrometheus.class)
class LivePageTest {
  private static final String POD = "#/pods/team-a/train";

  @Inject WebhookServer webhooks;
  @TempDir private Path folder = Path.of("");

  @TestHTTPResource("/")
  private String address = "";

  /** A service that reads a metrics server. */
  public static final class OnPrometheus extends RunningService {
    @Override
    public Map<String, String> getConfigOverrides() {
      Map<String, String> configuration = super.getConfigOverrides();
      configuration.put("cotenant.prometheus.url", new MetricsServer().url());
      configuration.put("cotenant.prometheus.refresh-interval", "200ms");
      return configuration;
    }
  }

  /** Addresses of the views, each with a text that it shows. */
  private static final Map<String, String> VIEWS =
      Map.ofEntries(
          Map.entry("#/", "used by others"),
          Map.entry("#/gpus", "1 of 1 GPUs"),
          Map.entry("#/gpus/GPU-live", "by processes without a grant"),
          Map.entry("#/pods", "With a grant"),
          Map.entry("#/evidence", "Stated level"),
          Map.entry("#/predictors", "Registered models"),
          Map.entry("#/services", "Nothing is applied"),
          Map.entry("#/right-sizing", "Right-sizing"),
          Map.entry("#/what-if", "No replay yet"),
          Map.entry("#/plans", "Stored service profiles"),
          Map.entry(POD, "What was read"));

  /** The pod is last: its grant would be in the others. */
  static Stream<Arguments> views() {
    return VIEWS.entrySet().stream()
        .sorted(Map.Entry.comparingByKey(Comparator.comparing((String view) -> view.equals(POD))))
        .map(view -> Arguments.of(view.getKey(), view.getValue()));
  }

  @Test
  void noViewIsLeftOut() throws IOException {
    Routes.areAllAmong(VIEWS.keySet());
  }

  @ParameterizedTest
  @MethodSource("views")
  void everyViewIsLiveForEveryReaderAtEveryWidth(String view, String text) throws Exception {
    if (view.equals(POD)) {
      new WebhookClient(webhooks.port())
          .post("/webhooks/mutate", WebhookClient.review("resnet18", 1));
    }
    try (DevTools page = DevTools.open(folder, address + view, 1280, 900)) {
      page.awaitText(text);
      page.awaitText(", read at ");
      assertThat(page.text())
          .contains("http://127.0.0.1:")
          .doesNotContain("recorded cluster", "memory, next");
      String before = page.evaluate("document.getElementById('state').textContent").asText();
      page.await("document.getElementById('state').textContent !== '" + before + "'");
      Readers.read(page, view);
      Readers.reachEverything(page, view);
      // This metrics server has no history, which the view says in words.
      assertThat(page.complaints())
          .filteredOn(complaint -> !complaint.contains("/v1/recommendations?"))
          .isEmpty();
    }
  }
}
