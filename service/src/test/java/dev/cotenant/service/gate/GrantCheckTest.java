package dev.cotenant.service.gate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.read.PodLookup;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Scripted;
import dev.cotenant.admission.ledger.CapacityRequest;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.ledger.LedgerEntry;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.PodRequestReader;
import dev.cotenant.admission.supervision.Fault;
import dev.cotenant.admission.supervision.Heartbeat;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.service.supervision.LoopFaults;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Grants of mode Immediate on reviews that anybody may have sent. */
class GrantCheckTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Heartbeat HEART =
      new Heartbeat() {
        @Override
        public void beat() {}

        @Override
        public void beatBefore(Duration pause) {}

        @Override
        public void finish() {}
      };

  @TempDir private static Path folder;
  private volatile Instant now = Instant.parse("2026-07-01T00:00:00Z");
  private FakeApiServer cluster;
  private ApiServer server;
  private GrantCheck check;
  private final Ledger ledger =
      new Ledger(() -> now, Duration.ofMinutes(2), Ledger.Creation.IN_CLUSTER);

  @BeforeEach
  void begin() throws IOException {
    cluster = new FakeApiServer(folder);
    server = ApiServer.of(Optional.of(cluster.kubeconfig(folder, "t")), Duration.ofSeconds(10));
    check = new GrantCheck(ledger, new PodLookup(server)::presence);
  }

  @AfterEach
  void end() {
    server.close();
    cluster.close();
  }

  @Test
  void endsWhatReviewsOfPodsThatDoNotExistHaveTaken() {
    IntStream.range(0, 3).forEach(i -> bound("made-up-" + i, "a", "uid-" + i));

    later(10);
    check.look(HEART);
    assertThat(ledger.entries()).as("pods on their way").hasSize(3);
    later(30);
    check.look(HEART);

    assertThat(ledger.entries()).isEmpty();
  }

  @Test
  void endsAGrantThatIsNeverConfirmedWithinSeconds() {
    allocate("made-up", "a");

    later(15);

    assertThat(ledger.entries()).isEmpty();
  }

  @Test
  void letsANamespaceHaveFewGrantsWithoutPods() {
    IntStream.range(0, 20).forEach(i -> stored("p" + i, "a", "p" + i));
    IntStream.range(0, 20).forEach(i -> bound("p" + i, "a", uidOf("p" + i)));

    assertThat(allocate("another", "a"))
        .isEqualTo(new Decision.Held(List.of(new Reason.OpenGrants(20))));
    assertThat(allocate("elsewhere", "b")).isInstanceOf(Decision.Admitted.class);
    check.look(HEART);
    assertThat(allocate("another", "a")).isInstanceOf(Decision.Admitted.class);
  }

  @Test
  void takesNoOtherPodForTheOneOfTheGrant() {
    stored("tiny", "a", "");
    String uid = uidOf("tiny");
    bound("tiny", "a", uid);

    later(40);
    check.look(HEART);

    assertThat(ledger.entries()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"'', p", "'a/../b', p", "a, 'p,metadata.namespace=b'"})
  void endsGrantsOfNamesThatNoPodCanHave(String namespace, String name) {
    cluster.script(request ->
        request.path().endsWith("/pods")
            ? Optional.of(Scripted.of(400, "{\"kind\":\"Status\",\"message\":\"bad\"}"))
            : Optional.empty());
    bound(name, namespace, "uid");

    later(40);
    check.look(HEART);

    assertThat(ledger.entries()).isEmpty();
  }

  @Test
  void keepsGrantsWhileTheApiServerDoesNotAnswer() {
    bound("p", "a", "uid");
    cluster.script(_ -> Optional.of(Scripted.of(403, "{\"kind\":\"Status\"}")));

    later(600);
    check.look(HEART);

    assertThat(ledger.entries()).hasSize(1);
  }

  @Test
  void releasesNothingByAReviewAlone() {
    stored("p", "a", "p");
    LedgerEntry grant = bound("p", "a", uidOf("p"));
    check.look(HEART);
    later(600);

    assertThat(ledger.releaseEnded(grant.capacityRequest().pod(), uidOf("p"))).isFalse();
    check.look(HEART);
    assertThat(ledger.entries()).as("a forged deletion").hasSize(1);

    cluster.delete("pods", "a", "p");
    assertThat(ledger.releaseEnded(grant.capacityRequest().pod(), "any")).isFalse();
    check.look(HEART);
    assertThat(ledger.entries()).isEmpty();
  }

  @Test
  void findsPodsWhoseEndNoReviewTold() {
    for (int i = 0; i < 25; i++) {
      stored("p" + i, "n" + i, "p" + i);
      bound("p" + i, "n" + i, uidOf("n" + i, "p" + i));
    }
    check.look(HEART);
    later(60);
    cluster.delete("pods", "n13", "p13");

    for (int round = 0; round < 3; round++) {
      check.look(HEART);
    }

    assertThat(ledger.entries()).hasSize(24);
  }

  @ParameterizedTest
  @EnumSource
  void isHealedOrEndsTheProcess(Fault.Kind kind) {
    LoopFaults faults = new LoopFaults("immediate-grants", kind);
    bound("p", "a", "uid");
    later(60);
    GrantCheck struck =
        new GrantCheck(
            ledger,
            (pod, admissionId) -> {
              faults.strike();
              return PodLookup.Presence.GONE;
            });
    struck.start(Duration.ofMillis(5), faults.process().supervisor);

    faults.assertHealed(Duration.ofMinutes(2));
    if (faults.isSurvived()) {
      Eventually.holds("it looks again", () -> ledger.entries().isEmpty());
    }
    struck.stop();
  }

  private void later(long seconds) {
    now = now.plusSeconds(seconds);
  }

  private Decision allocate(String name, String namespace) {
    Grant grant = new Grant("GPU-" + namespace + name, "node", null);
    return ledger.decideOnReview(
        new CapacityRequest(name, pod(name, namespace)),
        new ClusterSnapshot(now, List.of()),
        _ ->
            new Decision.Admitted(
                List.of(grant), new Evidence.FreeGpus(1, new ExclusiveCause.SeveralGpus())));
  }

  private LedgerEntry bound(String name, String namespace, String uid) {
    assertThat(allocate(name, namespace)).isInstanceOf(Decision.Admitted.class);
    assertThat(ledger.bind(name, pod(name, namespace).onNode("node"), uid))
        .isEqualTo(new Ledger.Confirmed());
    return ledger.find(name).orElseThrow();
  }

  private static Colocatable pod(String name, String namespace) {
    ObjectNode json = JSON.createObjectNode();
    json.putObject("metadata").put("name", name);
    json.putObject("spec")
        .putArray("containers")
        .addObject()
        .put("name", "c")
        .putObject("resources")
        .putObject("limits")
        .put("nvidia.com/gpu", "1");
    return (Colocatable) new PodRequestReader().read(json, namespace);
  }

  private void stored(String name, String namespace, String admissionId) {
    ObjectNode json = JSON.createObjectNode();
    json.put("kind", "Pod").put("apiVersion", "v1");
    json.putObject("metadata")
        .put("name", name)
        .put("namespace", namespace)
        .putObject("annotations")
        .put(CotenantAnnotations.ADMISSION_ID, admissionId);
    cluster.create("pods", namespace, json);
  }

  private String uidOf(String name) {
    return uidOf("a", name);
  }

  private String uidOf(String namespace, String name) {
    return cluster
        .find("pods", namespace, name)
        .orElseThrow()
        .path("metadata")
        .path("uid")
        .asText();
  }
}
