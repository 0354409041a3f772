package dev.cotenant.service.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.engine.plan.Strategies;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.webhook.WebhookClient;
import dev.cotenant.service.webhook.WebhookServer;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.io.IOException;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every view of a recorded cluster: its content, at every width, by keyboard, for every reader. */
@QuarkusTest
@TestProfile(ViewsTest.OwnCluster.class)
class ViewsTest {
  private static final String GPU = "GPU-5f3a0001-0000-4000-8000-000000000001";
  private static final int TAB = 9;
  private static final int ENTER = 13;
  private static final int RIGHT = 39;

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

  @TestHTTPResource("/")
  private String address = "";

  @BeforeEach
  void decide() throws Exception {
    new WebhookClient(webhooks.port())
        .post("/webhooks/mutate", WebhookClient.review("resnet18", 1));
  }

  private DevTools open(String view) throws Exception {
    return DevTools.open(address + view, 1280, 900);
  }

  /** Addresses of the views, each with a text that it shows. */
  private static final Map<String, String> VIEWS =
      Map.ofEntries(
          Map.entry("#/", "Sharing saved"),
          Map.entry("#/gpus", "16 of 16 GPUs"),
          Map.entry("#/gpus/" + GPU, "sum of the tenants' upper bounds"),
          Map.entry("#/pods", "Newest decisions"),
          Map.entry("#/evidence", "ready to enforce"),
          Map.entry("#/predictors", "Registered models"),
          Map.entry("#/services", "Nothing is applied"),
          Map.entry("#/right-sizing", "Missing series of the metrics server"),
          Map.entry("#/what-if", "No replay yet"),
          Map.entry("#/plans", "Stored service profiles"),
          Map.entry("#/pods/team-a/train", "Request"));

  static Stream<Arguments> views() {
    return VIEWS.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(view -> Arguments.of(view.getKey(), view.getValue()));
  }

  @Test
  void noViewIsLeftOut() throws IOException {
    Routes.areAllAmong(VIEWS.keySet());
  }

  @ParameterizedTest
  @MethodSource("views")
  void everyViewIsReadAtEveryWidthByEveryReaderAndByKeyboard(String view, String text)
      throws Exception {
    try (DevTools page = open(view)) {
      page.awaitText(text);
      page.awaitText("This is a recorded cluster, not a live one");
      Readers.read(page, view);
      Readers.reachEverything(page, view);
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
      page.awaitText("There is no GPU '<img src=x onerror=alert(1)>' in this cluster.");
      assertThat(page.text()).doesNotContain("Forecasts of used memory");
      page.go(address + "#/pods/team-a/none");
      page.awaitText("No decision or grant of pod 'team-a/none' is known");
      page.go(address + "#/gpus?filter=gpu-3&order=none&shade=__proto__");
      page.awaitText("2 of 16 GPUs");
      page.go(address + "#/gpus/%E0%A4%A");
      page.awaitText("There is no GPU");
    }
  }

  @Test
  void aGpuSaysWhatEachAmountOfMemoryIs() throws Exception {
    try (DevTools page = open("#/gpus/" + GPU)) {
      page.awaitText("sum of the tenants' upper bounds");
      page.awaitText("learned from increases of earlier samples");
      page.awaitText("upper bound of the use within 10 min");
      assertThat(page.text()).contains("expected ", "the largest of used, granted", "forecast");
      page.await("document.querySelector('.swatch.granted')");
      assertThat(page.evaluate(background("granted")))
          .isNotEqualTo(page.evaluate(background("ahead")));
      assertThat(page.evaluate(background("granted")))
          .isNotEqualTo(page.evaluate(background("predicted")));
    }
  }

  /** The colour of a key of a plot's legend. */
  private static String background(String kind) {
    return "(key => { document.body.append(key); key.className = 'swatch "
        + kind
        + "'; return getComputedStyle(key).backgroundColor; })(document.createElement('i'))";
  }

  @Test
  void wordsOfTheMenuAreAddresses() throws Exception {
    try (DevTools page = open("#/fleet?filter=gpu-3")) {
      page.awaitText("2 of 16 GPUs");
      page.go(address + "#/Workloads");
      page.awaitText("Newest decisions");
      page.go(address + "#/overview");
      page.awaitText("Sharing saved");
      assertThat(page.evaluate("document.querySelector('[aria-current]').textContent").asText())
          .isEqualTo("Overview");
    }
  }

  @Test
  void aPodShowsWhyItWasDecidedSo() throws Exception {
    try (DevTools page = open("#/pods")) {
      page.awaitText("team-a/train");
      page.evaluate("document.querySelector('a[href=\"#/pods/team-a/train\"]').click()");
      page.awaitText("Request");
      assertThat(page.text()).contains("resnet18", "Prediction", "peak memory", "held-out runs");
    }
  }

  /** What a redrawing takes away from somebody who reads: the focus, an opened detail. */
  @Test
  void aRedrawingLeavesTheFocusWhereItIs() throws Exception {
    try (DevTools page = open("#/gpus")) {
      page.awaitText("16 of 16 GPUs");
      page.evaluate("document.querySelectorAll('tbody a')[4].focus(), true");
      String focused = focused(page, "href");
      page.evaluate(
          module("live.js")
              + ".then(({ live }) => { const row ="
              + " [...live.gpus.values()][1]; live.gpus.set(row.uuid, { ...row, used_bytes:"
              + " 123456789012 }); live.revision++; dispatchEvent(new Event('resize')); })");
      page.awaitText("115 GiB");
      assertThat(focused(page, "href")).isEqualTo(focused).contains("#/");
    }
  }

  /** A live region that every event writes anew would be read aloud again and again. */
  @Test
  void aRedrawingIsNotReadAloud() throws Exception {
    try (DevTools page = open("#/gpus")) {
      page.awaitText("16 of 16 GPUs");
      assertThat(
              page.evaluate(
                      "window.spoken = 0; window.regions ="
                          + " [...document.querySelectorAll('[role=status], [role=alert],"
                          + " [aria-live]')]; for (const region of regions) { new"
                          + " MutationObserver(seen => { spoken += seen.length; }).observe(region,"
                          + " { childList: true, characterData: true, subtree: true }); }"
                          + " regions.length")
                  .asInt())
          .isPositive();
      assertThat(
              page.evaluate(
                      "regions.some(region => region.contains(document.getElementById('state')))")
                  .asBoolean())
          .isFalse();
      page.evaluate(
          module("live.js")
              + ".then(({ live }) => { const row ="
              + " [...live.gpus.values()][1]; live.gpus.set(row.uuid, { ...row, used_bytes:"
              + " 123456789012 }); live.revision++; dispatchEvent(new Event('resize')); })");
      page.awaitText("115 GiB");
      assertThat(page.evaluate("spoken").asInt()).isZero();
      assertThat(page.evaluate("regions.every(region => region.isConnected)").asBoolean()).isTrue();
    }
  }

  @Test
  void decisionsAreATable() throws Exception {
    try (DevTools page = open("#/pods")) {
      page.awaitText("GPU or reasons");
      assertThat(
              page.evaluate(
                      "[...document.querySelectorAll('[aria-label=Decisions] th[scope=col]')]"
                          + ".map(one => one.textContent).join()")
                  .asText())
          .isEqualTo("time,pod,result,predicted,GPU or reasons");
    }
  }

  @Test
  void aGpuIsNamedAtOnceWhenItIsKnown() throws Exception {
    try (DevTools page = open("#/gpus")) {
      page.awaitText("16 of 16 GPUs");
      page.evaluate(
          module("names.js")
              + ".then(({ gpuLink }) => {"
              + " document.querySelector('main').append(gpuLink('GPU-later', 'gpu-9')); })");
      page.awaitText("gpu-9 · GPU-later");
      page.evaluate(
          module("live.js")
              + ".then(({ live }) => { live.gpus.set('GPU-later', { uuid: 'GPU-later', index: 3 });"
              + " })");
      page.awaitText("gpu-9 · GPU 3");
    }
  }

  /** One of the page's files, as a promise. */
  private static String module(String name) {
    return "import('./' + document.querySelector('script[type=module]').getAttribute('src')"
        + ".replace('app.js', '"
        + name
        + "'))";
  }

  /** Of a pod that waits beyond its policy's limit for two whole GPUs. */
  @Test
  void remediesAndFallbacksFitThePod() throws Exception {
    try (DevTools page = open("#/gpus")) {
      page.awaitText("16 of 16 GPUs");
      page.evaluate(
          module("decisions.js")
              + ".then(({ whatWouldHelp, fallback }) => { const pod = { cause:"
              + " 'ExclusiveRequested', requested: { gpus: 2 }, since: '2026-11-29T16:51:24Z',"
              + " waiting_seconds: 900, fallback: 'Exclusive', causes: [{ code: 'WaitTimeout',"
              + " gpus: 0, nodes: 0 }, { code: 'ExclusiveRequested', gpus: 70, nodes: 9 }],"
              + " decision: { reasons: [{ code: 'WaitTimeout', numbers: { waited_seconds: 900,"
              + " limit_seconds: 600 } }] } };"
              + " document.querySelector('main').append(whatWouldHelp(pod), fallback(pod)); })");
      page.awaitText(
          "not free as a whole, 70 GPUs: wait until 2 whole GPUs of one node are free, or request"
              + " fewer");
      assertThat(page.text())
          .containsPattern("since [0-9]+:01( [AP]M)? also waits for a whole free GPU")
          .doesNotContain("see the policy's fallback");
    }
  }

  @Test
  void aFleetIsPlanned() throws Exception {
    try (DevTools page = open("#/plans?strategy=igniter")) {
      page.awaitText("Plans of fleets");
      page.evaluate(
          "[...document.querySelectorAll('button')].find(one => one.textContent ==="
              + " 'Plan').click()");
      page.awaitText("Plan by igniter");
      assertThat(
              page.evaluate(
                      "[...document.querySelector('select').options].map(one => one.value).join()")
                  .asText())
          .isEqualTo(",all," + String.join(",", Strategies.standard().names()));
      assertThat(page.text()).contains(" an hour", "search", "photos", "v100");
      page.evaluate(
          "Object.assign(document.getElementById('fleet'), { value: '{' }), [...document"
              + ".querySelectorAll('button')].find(one => one.textContent === 'Plan').click()");
      page.awaitText("The fleet is not valid JSON");
      assertThat(page.complaints()).isEmpty();
    }
  }

  @Test
  void aPastPodShowsItsStoredDecision() throws Exception {
    try (DevTools page = open("#/pods/team-a/train")) {
      page.awaitText("Decisions about this pod");
      assertThat(page.text()).contains("Peak memory by its parts", "weights, with the optimizer's");
    }
  }
}
