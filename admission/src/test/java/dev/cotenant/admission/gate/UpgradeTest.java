package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.cotenant.admission.gate.port.NodeDecisions;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.reservation.PersistedReservations;
import dev.cotenant.admission.state.FakeDocuments;
import dev.cotenant.admission.state.FakeDocuments.Fate;
import dev.cotenant.admission.state.LeaderState;
import dev.cotenant.admission.state.LeaderStateDocument;
import dev.cotenant.admission.state.LeaderStateStore;
import dev.cotenant.admission.state.PersistedState;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A new version leads in a cluster of the version before placement inside scheduling (ADR 35). The
 * resource has pods and leader state that the code of commit f2dae04e wrote; the times of the
 * reservation are moved to those of the pods.
 */
class UpgradeTest {
  private static final Instant WRITTEN_AT = Instant.parse("2026-11-21T12:02:00Z");

  private final JsonNode recorded = recorded();
  private final GateBench bench = new GateBench(1, 1, 1, 1);
  private final FakeDocuments documents = new FakeDocuments();
  private final List<String> warnings = new ArrayList<>();
  private final Map<String, StoredPod> pods = new HashMap<>();

  private static JsonNode recorded() {
    try (InputStream in = UpgradeTest.class.getResourceAsStream("/upgrade/before-adr-35.json")) {
      return new ObjectMapper().readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @BeforeEach
  void restore() {
    bench.now = WRITTEN_AT;
    for (JsonNode json : recorded.path("pods")) {
      StoredPod pod = pod(json);
      pods.put(pod.identity.name(), pod);
      bench.server.create(pod);
    }
    recorded
        .path("documents")
        .properties()
        .forEach(document -> {
          Map<String, String> entries = new HashMap<>();
          document
              .getValue()
              .path("entries")
              .properties()
              .forEach(entry -> entries.put(entry.getKey(), entry.getValue().asText()));
          documents.overwrite(
              document.getKey(), document.getValue().path("term").asLong(), entries);
        });
  }

  private StoredPod pod(JsonNode json) {
    StoredPod made = bench.pod(json.path("name").asText(), text(json, "model"), 1, 1);
    StoredPod pod =
        new StoredPod(
            json.path("uid").asText(),
            made.identity,
            made.request,
            Instant.parse(json.path("created").asText()));
    json.path("annotations")
        .properties()
        .forEach(entry -> pod.annotations.put(entry.getKey(), entry.getValue().asText()));
    json.path("selector")
        .properties()
        .forEach(entry -> pod.nodeSelector.put(entry.getKey(), entry.getValue().asText()));
    json.path("gates").forEach(gate -> pod.gates.add(gate.asText()));
    pod.node = text(json, "node");
    @Nullable String started = text(json, "started");
    pod.startedAt = started == null ? null : Instant.parse(started);
    return pod;
  }

  private static @Nullable String text(JsonNode json, String name) {
    String text = json.path(name).asText();
    return text.isEmpty() ? null : text;
  }

  private LeaderState state(long term) {
    return new LeaderStateDocument(
            new LeaderStateStore(documents.seenWith(() -> Fate.DONE), "state", 1), warnings::add)
        .claim(term);
  }

  private List<PersistedState.Reserved> reserved(long term) {
    return new PersistedReservations(
            new LeaderStateStore(documents.seenWith(() -> Fate.DONE), "reservations", 1),
            _ -> false,
            () -> WRITTEN_AT,
            warnings::add)
        .claim(term).stream()
            .map(one -> new PersistedState.Reserved(one.id(), one.grant()))
            .toList();
  }

  private StoredPod named(String name) {
    return Objects.requireNonNull(pods.get(name), name);
  }

  private void lead() {
    bench.begin(new PersistedState(reserved(8), state(8)));
    bench.measure();
    assertThat(warnings).isEmpty();
    assertThat(bench.log).containsExactly("corrected densenet121 a100-40gb 9 GiB");
  }

  @Test
  void grantsOfTheOldVersionCount() {
    lead();

    assertThat(bench.state(named("share"))).isEqualTo(GrantState.OBSERVED);
    assertThat(bench.state(named("sharer"))).isEqualTo(GrantState.BOUND);
    assertThat(bench.state(named("whole"))).isEqualTo(GrantState.OBSERVED);
    assertThat(bench.state(named("other"))).isEqualTo(GrantState.BOUND);
    assertThat(named("waiting").gates).as("no GPU is free").isNotEmpty();
    assertThat(bench.codes(named("waiting"))).contains("ExclusiveRequested");

    bench.remove(named("other"));
    assertThat(GateBench.gpu(named("waiting"))).isEqualTo("GPU-3a");
  }

  @Test
  void theReservationOfTheOldVersionCountsUntilItExpires() {
    lead();

    PodGrant held = bench.controller().find("id-1").orElseThrow();
    assertThat(held.gpus()).containsExactly("GPU-4a");
    assertThat(held.state())
        .isEqualTo(new PodGrant.Allocated(Instant.parse("2026-11-21T12:03:18Z")));

    bench.later(Duration.ofMinutes(2));
    assertThat(GateBench.gpu(named("waiting"))).isEqualTo("GPU-4a");
  }

  @Test
  void theLeaderStateOfTheOldVersionIsReadWhole() {
    LeaderState state = state(8);

    Instant at = Instant.parse("2026-11-21T12:00:00Z");
    assertThat(state)
        .isEqualTo(
            new LeaderState(
                Map.of("uid-waiting-4", new LeaderState.QueuePosition(3, at)),
                List.of(
                    new LeaderState.MemoryShortage(
                        "",
                        new Workload("densenet121", 8, RunSettings.DEFAULT),
                        new DeviceId("a100-40gb"),
                        MemorySize.ofGiB(9),
                        2,
                        at)),
                Map.of("team-a/Job/train", new LeaderState.Resubmissions(2, at)),
                Set.of("uid-noticed")));
    assertThat(warnings).isEmpty();
  }

  /** With a policy that names a scheduler, pods of the old version stay on their nodes. */
  @Test
  void grantsBindToTheirNodesThroughTheExtender() {
    bench.policy =
        bench
            .policy
            .with(copy -> copy.gpuAssignment = Policy.GpuAssignment.NODE_ONLY)
            .with(copy -> copy.schedulerName = "mine");
    pods.values().forEach(pod -> pod.schedulerName = "mine");
    lead();

    StoredPod other = named("other");
    assertThat(bench.controller().decide(other.uid, List.of("n1", "n3")).orElseThrow())
        .isEqualTo(new NodeDecisions.Granted("n3"));
    var outcome = bench.controller().bind(other.identity, other.uid, "n3").orElseThrow();
    bench.settle();
    assertThat(outcome.join()).isEmpty();
    assertThat(other.annotations).containsEntry(CotenantAnnotations.ASSIGNED_GPU, "GPU-3a");
  }
}
