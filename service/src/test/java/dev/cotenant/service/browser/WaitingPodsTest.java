package dev.cotenant.service.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer;
import dev.cotenant.admission.kubernetes.testing.Manifests;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.evidence.EvidenceStore;
import dev.cotenant.service.evidence.Observed;
import dev.cotenant.service.history.ClusterState;
import dev.cotenant.service.history.HistoryRecorder;
import dev.cotenant.service.history.HistoryStore;
import dev.cotenant.service.history.LiveState;
import dev.cotenant.service.store.Database;
import dev.cotenant.service.store.SqlEvidence;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Pods that wait at the gate of a cluster, on the page: by cause, with remedies. */
@QuarkusTest
@TestProfile(WaitingPodsTest.WithAGate.class)
class WaitingPodsTest {
  /** Of the six GPUs of examples/clusters/empty.json, all but one are granted whole. */
  private static final int WHOLE = 5;

  private static final int OTHERS_WAIT = 3;

  @Inject Database database;
  @Inject HistoryStore history;
  @Inject LiveState state;

  @TestHTTPResource("/")
  private String address = "";

  /** A service in mode enforce whose API server has pods that wait. */
  public static final class WithAGate extends RunningService {
    @Override
    public Map<String, String> getConfigOverrides() {
      Map<String, String> configuration = super.getConfigOverrides();
      configuration.put("cotenant.policy.mode", "enforce");
      configuration.put("cotenant.policy.max-wait", "100000h"); // the pods wait since long ago
      configuration.put("cotenant.cluster.recorded", "examples/clusters/empty.json");
      configuration.put("cotenant.devices.prices", "a100-40gb=2.9");
      return configuration;
    }

    @Override
    public List<TestResourceEntry> testResources() {
      return List.of(new TestResourceEntry(Cluster.class));
    }
  }

  /** The API server. */
  public static final class Cluster implements QuarkusTestResourceLifecycleManager {
    private @Nullable FakeApiServer server;

    @Override
    public Map<String, String> start() {
      try {
        Path folder = Files.createTempDirectory("cotenant-gate");
        FakeApiServer api = new FakeApiServer(folder);
        server = api;
        api.create("namespaces", "", Manifests.namespace("team-a"));
        api.create("nodes", "", node("gpu-1", 2));
        api.create("nodes", "", node("gpu-2", 4));
        ObjectNode cordoned = node("gpu-3", 1);
        cordoned.withObject("/spec").put("unschedulable", true);
        api.create("nodes", "", cordoned);
        for (int i = 0; i < WHOLE; i++) {
          api.create("pods", "team-a", created(Manifests.gatedPod("whole-" + i), i));
        }
        api.create("pods", "team-a", created(large(), WHOLE));
        Thread.startVirtualThread(() -> createOthersOnceGranted(api));
        // A request or a Lease that is late on a slow machine leaves grants in doubt, and others
        // go first; without the Lease the page has no data.
        return Map.of(
            "cotenant.kubernetes.enabled", "true",
            "cotenant.kubernetes.kubeconfig", api.kubeconfig(folder, "service").toString(),
            "cotenant.kubernetes.request-timeout", "60s",
            "cotenant.kubernetes.lease-duration", "5m",
            "cotenant.kubernetes.renew-deadline", "2m");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /**
     * A new leader writes to each pod that waits before it grants it anything, and decides first
     * about those whose write is done first, whatever their order: these two GPUs at a time would
     * take all.
     */
    private static void createOthersOnceGranted(FakeApiServer api) {
      Eventually.holds(
          "the first have their GPUs",
          () ->
              api.list("pods").stream()
                      .filter(pod -> pod.at("/spec/schedulingGates").isEmpty())
                      .count()
                  == WHOLE);
      for (int i = 0; i < OTHERS_WAIT; i++) {
        ObjectNode pod = Manifests.gatedPod("pair-" + i);
        ((ObjectNode) pod.at("/spec/containers/0/resources/limits")).put("nvidia.com/gpu", "2");
        api.create("pods", "team-a", created(pod, WHOLE + 1 + i));
      }
    }

    /** The model fits on a free GPU, at a smaller batch. */
    private static ObjectNode large() {
      ObjectNode pod = Manifests.gatedPod("large");
      pod.withObject("/metadata/annotations")
          .put("cotenant.dev/model", "resnet18")
          .put("cotenant.dev/batch-size", "3000");
      return pod;
    }

    /** Pods are decided on in the order of their creation, here days ago. */
    private static ObjectNode created(ObjectNode pod, int order) {
      Instant start = Instant.parse("2026-11-20T10:00:00Z");
      pod.withObject("/metadata").put("creationTimestamp", start.plusSeconds(order).toString());
      return pod;
    }

    private static ObjectNode node(String name, int gpus) {
      ObjectNode node = Manifests.node(name, gpus);
      node.withObject("/metadata/labels")
          .put("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB")
          .put("nvidia.com/gpu.count", String.valueOf(gpus));
      return node;
    }

    @Override
    public void stop() {
      if (server != null) {
        server.close();
      }
    }
  }

  /** Until the gate leads, answers are 503, which the page asks again for. */
  private static List<String> complaints(DevTools page) throws Exception {
    return page.complaints().stream()
        .filter(complaint -> !complaint.contains("status of 503"))
        .toList();
  }

  private DevTools open(String view) throws Exception {
    return DevTools.open(address + view, 1280, 900);
  }

  @Test
  void theOverviewCountsThemByCause() throws Exception {
    try (DevTools page = open("#/")) {
      page.awaitText("remedy");
      page.await(
          "[...document.querySelectorAll('td.number')].some(cell => cell.textContent === '"
              + OTHERS_WAIT
              + "')");
      assertThat(page.evaluate("document.querySelector('section table').rows.length").asInt())
          .as("causes and their heading")
          .isEqualTo(3);
      assertThat(page.text())
          .contains("excluded by the pod's constraints", "wait for capacity there", "5 whole")
          .contains("too large for every GPU", "waiting will not help")
          .contains("1 GPU on nodes that accept no new pods: gpu-3 (cordoned)");
      assertThat(complaints(page)).isEmpty();
    }
  }

  /** A GPU whose node takes no pods looks other than one that has room. */
  @Test
  void theFleetCrossesOutACordonedNode() throws Exception {
    try (DevTools page = open("#/gpus?filter=cordoned")) {
      page.awaitText("1 of 7 GPUs");
      page.awaitText("node cordoned");
      page.awaitText("its node accepts no new pods");
      assertThat(complaints(page)).isEmpty(); // a second reading of pixels is one
      assertThat(page.evaluate(pixel(8, 20)))
          .as("on the line")
          .isNotEqualTo(page.evaluate(pixel(8, 8)));
    }
  }

  private static String pixel(int x, int y) {
    return "[...document.querySelector('canvas').getContext('2d').getImageData("
        + x
        + ", "
        + y
        + ", 1, 1).data].join()";
  }

  /** Of a day, the minutes since the start would be a dot. */
  @Test
  void plotsAreAsLongAsWhatIsStored() throws Exception {
    try (DevTools page = open("#/?hours=24")) {
      page.await("document.querySelector('.plot svg')");
      String hours =
          "(labels => (Date.parse('1/1/2026 ' + labels.at(-1).textContent) - Date.parse('1/1/2026 '"
              + " + labels[0].textContent)) /"
              + " 3600e3)([...document.querySelectorAll('.plot:first-child svg text')].filter(one"
              + " => one.textContent.includes(':')))";
      assertThat((page.evaluate(hours).asInt() + 24) % 24).isEqualTo(1);
    }
  }

  @Test
  void theOverviewSaysSinceWhenItCountsAndTellsNoDayFromLessThanAnHour() throws Exception {
    history.add(
        HistoryRecorder.minute(Instant.now()) - 1,
        new ClusterState(List.of(), state.now().cluster().figures()));
    try (DevTools page = open("#/")) {
      page.awaitText(" GPU hours since recording began at ");
      page.awaitText(" an hour");
      assertThat(page.text()).doesNotContain(" GPU hours today", "in the last day", "at this rate");
      assertThat(complaints(page)).isEmpty();
    }
  }

  @Test
  void theOverviewNamesANamespaceThatIsEnforcedOnBoundsThatDoNotHold() throws Exception {
    long today = LocalDate.now(ZoneOffset.UTC).toEpochDay();
    new SqlEvidence(database)
        .add(
            Map.of(
                new EvidenceStore.Key("team-a", Observed.UTILIZATION_CHECKED, today), 40L,
                new EvidenceStore.Key("team-a", Observed.UTILIZATION_HELD, today), 10L,
                new EvidenceStore.Key("team-b", Observed.MEMORY_CHECKED, today), 1L));
    try (DevTools page = open("#/")) {
      page.awaitText(
          "team-a is enforced, and its bounds did not hold as often as stated: 10 of 40 bounds of"
              + " utilization held");
      assertThat(page.text())
          .contains("bounds do not hold in team-a; too few runs to tell in team-b");
      page.evaluate("document.querySelector('main a[href=\"#/evidence\"]').click()");
      page.awaitText("10 of 40 bounds of utilization held");
      assertThat(page.text())
          .contains("bounds do not hold", "enforce\nin force", "the line across a bar")
          .doesNotContain("no: ", "not ready to enforce");
      assertThat(complaints(page)).isEmpty();
    }
  }

  @Test
  void aWaitingPodShowsWhatWouldLetItRun() throws Exception {
    try (DevTools page = open("#/pods/team-a/large")) {
      page.awaitText("This pod waits");
      page.awaitText("Remedy");
      page.awaitText("too large for every GPU: it needs ");
      assertThat(page.text())
          .contains("waiting will not")
          .doesNotContain(
              "wait until it is free", "would be admitted now") // no node has a free GPU
          .contains("resnet18", "Every GPU", "a smaller batch")
          .contains("weights, with the optimizer's moments", "Nearest measured runs")
          .contains("; as of ", "Closest GPUs, as of now")
          .doesNotContain("wait for a tenant to end", "raise limits.", "quieter GPU")
          .doesNotContain("PredictedMemoryExceeded", "MemoryForecastExceeded", " by agnostic");
      assertThat(
              page.evaluate(
                      "(gpus => gpus.length === new Set(gpus).size && gpus.length > 0)("
                          + "[...document.querySelectorAll('[aria-label=\"Reasons by GPU\"] tbody"
                          + " tr')].map(row => row.dataset.key))")
                  .asBoolean())
          .as("one row for each GPU")
          .isTrue();
      assertThat(complaints(page)).isEmpty();
    }
  }

  @Test
  void aPodSaysWhatItsFallbackIs() throws Exception {
    try (DevTools page = open("#/pods/team-a/large")) {
      page.awaitText("Remedy");
      assertThat(page.text()).contains("fallback in ", ": then a whole free GPU or a share");
      page.go(address + "#/pods/team-a/pair-0");
      page.awaitText("waits without a fallback"); // it needs whole GPUs anyway
    }
  }

  @Test
  void aGrantedPodShowsTheOtherGpus() throws Exception {
    try (DevTools page = open("#/pods/team-a/whole-0")) {
      page.awaitText("The other GPUs, as of now");
      assertThat(page.text())
          .contains("needs a whole free GPU")
          // the free one, which is on its node or on the other
          .containsAnyOf("within every limit", "the pod selects node 'gpu-");
      assertThat(complaints(page)).isEmpty();
    }
  }
}
