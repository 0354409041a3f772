package dev.cotenant.service.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.history.ClusterState;
import dev.cotenant.service.history.Figure;
import dev.cotenant.service.history.GpuRow;
import dev.cotenant.service.history.HistoryRecorder;
import dev.cotenant.service.history.HistoryStore;
import dev.cotenant.service.history.LiveState;
import dev.cotenant.service.webhook.WebhookClient;
import dev.cotenant.service.webhook.WebhookServer;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every view of a recorded cluster: its content, at every width, by keyboard, for every reader. */
@QuarkusTest
@TestProfile(ViewsTest.OwnCluster.class)
class ViewsTest {
  private static final String GPU = "GPU-5f3a0001-0000-4000-8000-000000000001";
  private static final int MINUTES = 1_440;
  private static final int TAB = 9;
  private static final int ENTER = 13;
  private static final int RIGHT = 39;

  /** [WCAG 2.2] at levels A and AA, by the rules of axe-core. */
  private static final String VIOLATIONS =
      "axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }).then(found =>"
          + " found.violations.map(one => one.id + ': ' + one.nodes.map(node => node.html +"
          + " node.failureSummary).join('; ')).join('\\n'))";

  /** A service with the cluster of the demo, whose grants no other test sees. */
  public static final class OwnCluster extends RunningService {
    @Override
    public Map<String, String> getConfigOverrides() {
      Map<String, String> configuration = super.getConfigOverrides();
      configuration.put("cotenant.cluster.recorded", "examples/clusters/busy.json");
      configuration.put("cotenant.devices.prices", "a100-40gb=2.9,rtx-2080ti=0.4");
      return configuration;
    }
  }

  @Inject WebhookServer webhooks;
  @Inject HistoryStore history;
  @Inject LiveState state;
  @TempDir private Path folder = Path.of("");

  @TestHTTPResource("/")
  private String address = "";

  @BeforeEach
  void decide() throws Exception {
    new WebhookClient(webhooks.port())
        .post("/webhooks/mutate", WebhookClient.review("resnet18", 1));
  }

  private DevTools open(String view) throws Exception {
    return DevTools.open(folder, address + view, 1280, 900);
  }

  @ParameterizedTest
  @CsvSource({
    "#/, Sharing saved",
    "#/gpus, 16 of 16 GPUs",
    "#/gpus/" + GPU + ", bound on the peak",
    "#/pods, Newest decisions",
    "#/evidence, ready to enforce",
    "#/predictors, Registered models",
    "#/services, Nothing is applied",
    "#/what-if, No replay yet"
  })
  void everyViewIsReadAtEveryWidthAndByEveryReader(String view, String text) throws Exception {
    Path axe =
        OutsideData.requireFetched(
            "npm install --prefix target/npm axe-core@4.10.3",
            RunningService.root().resolve("target/npm/node_modules/axe-core/axe.min.js"));
    try (DevTools page = open(view)) {
      page.awaitText(text);
      page.awaitText("This is a recorded cluster, not a live one");
      page.evaluate(Files.readString(axe) + "; true");
      for (String scheme : new String[] {"light", "dark"}) {
        page.scheme(scheme);
        for (int width : new int[] {390, 1280, 2560}) {
          page.size(width, 900);
          assertThat(page.evaluate("document.documentElement.scrollWidth").asInt())
              .as(view + " at " + width)
              .isLessThanOrEqualTo(width);
        }
        assertThat(page.evaluate(VIOLATIONS).asText()).as(scheme).isEmpty();
      }
      assertThat(page.complaints()).isEmpty();
    }
  }

  @Test
  void theKeyboardReachesAGpu() throws Exception {
    try (DevTools page = open("#/gpus")) {
      page.awaitText("16 of 16 GPUs");
      page.press("Tab", TAB);
      assertThat(focused(page, "textContent")).isEqualTo("Skip to the content");
      for (int i = 0; i < 40 && !focused(page, "tagName").equals("CANVAS"); i++) {
        page.press("Tab", TAB);
      }
      page.press("ArrowRight", RIGHT);
      page.awaitText("memory 6.3 GiB used");
      page.press("Enter", ENTER);
      page.awaitText("Forecasts of used memory");
      assertThat(page.evaluate("location.hash").asText()).startsWith("#/gpus/GPU-");
    }
  }

  private static String focused(DevTools page, String property) throws Exception {
    JsonNode value = page.evaluate("document.activeElement." + property);
    return value.asText();
  }

  @Test
  void saysWhatIsAmissWithAnAddress() throws Exception {
    try (DevTools page = open("#/nowhere/<img src=x>")) {
      page.awaitText("There is no such view");
      page.go(address + "#/gpus/%3Cimg%20src=x%20onerror=alert(1)%3E");
      page.awaitText("There is no GPU '<img src=x onerror=alert(1)>'");
      page.go(address + "#/pods/team-a/none");
      page.awaitText("No decision or grant of pod 'team-a/none' is known");
      page.go(address + "#/gpus?filter=gpu-3&order=none&shade=__proto__");
      page.awaitText("2 of 16 GPUs");
      page.go(address + "#/gpus/%E0%A4%A");
      page.awaitText("There is no GPU");
    }
  }

  /** Writes the pictures of the README where a folder is given for them. */
  @Test
  void showsTheDayBefore() throws Exception {
    Map<Figure, Double> figures = new HashMap<>(state.now().cluster().figures());
    List<GpuRow> rows = state.now().cluster().rows();
    long now = HistoryRecorder.minute(Instant.now());
    for (int i = 1; i < MINUTES; i++) {
      double wave = Math.round(2 * Math.sin(i / 230.0));
      figures.put(Figure.SAVED_GPUS, 3 + wave);
      figures.put(Figure.SAVED_MONEY_PER_HOUR, 2.9 * (3 + wave));
      figures.put(Figure.SHARED_GPUS, 3 + wave);
      figures.put(Figure.FREE_GPUS, 2 - wave);
      history.add(now - i, new ClusterState(i % 15 == 0 ? rows : List.of(), figures));
    }
    try (DevTools page = open("#/")) {
      page.awaitText("Sharing saved");
      page.await("document.querySelector('path.line.used').getAttribute('d').length > 500");
      assertThat(page.text()).contains("GPU hours and ", " in the last day, of which ");
      write(page, "overview");
      page.go(address + "#/gpus");
      page.awaitText("16 of 16 GPUs");
      write(page, "fleet");
      page.go(address + "#/gpus/GPU-5f3a0002-0000-4000-8000-000000000002?hours=24");
      page.awaitText("bound on the peak");
      write(page, "gpu");
    }
  }

  private static void write(DevTools page, String name) throws Exception {
    String folder = System.getProperty("cotenant.page.screenshots", "");
    if (!folder.isEmpty()) {
      Files.write(RunningService.root().resolve(folder).resolve(name + ".png"), page.screenshot());
    }
  }

  @Test
  void aPodShowsWhyItWasDecidedSo() throws Exception {
    try (DevTools page = open("#/pods")) {
      page.awaitText("team-a/train");
      page.evaluate("document.querySelector('a[href=\"#/pods/team-a/train\"]').click()");
      page.awaitText("What was read");
      assertThat(page.text()).contains("resnet18", "Prediction", "peak memory", "held-out runs");
    }
  }
}
