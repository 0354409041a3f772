package dev.cotenant.service.gate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.capacity.GateCalls;
import dev.cotenant.admission.capacity.GateCapacityLedger;
import dev.cotenant.admission.decision.DecisionPorts;
import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.port.MemoryCorrection;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.api.LoopContext;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer;
import dev.cotenant.admission.kubernetes.testing.Manifests;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.reservation.Reservation;
import dev.cotenant.admission.reservation.ReservationOutcome;
import dev.cotenant.admission.reservation.Reservations;
import dev.cotenant.admission.supervision.FakeProcess;
import dev.cotenant.admission.webhook.RandomIds;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.EngineSettings;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.configuration.KubernetesSettings;
import dev.cotenant.service.tracing.GateTracing;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The controller against an API server in memory, from the pod that is created to its metrics. */
class GateControllerRuntimeTest {
  private static final Engine ENGINE = Engine.standard(EngineSettings.DEFAULT);
  private static final KubernetesSettings.Lease LEASE =
      new KubernetesSettings.Lease(
          "cotenant-system",
          "cotenant-leader",
          Duration.ofSeconds(3),
          Duration.ofSeconds(2),
          Duration.ofMillis(100));

  @TempDir static Path folder;

  private final FakeProcess process = new FakeProcess();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final List<DecisionRecord> records = new CopyOnWriteArrayList<>();
  private FakeApiServer fake = new FakeApiServer(folder);
  private GateControllerRuntime gate;
  private Policy policy = Policy.DEFAULT;
  private ApiServer server;

  @BeforeEach
  void start() throws IOException {
    server = ApiServer.of(Optional.of(fake.kubeconfig(folder, "test")), Duration.ofSeconds(20));
    gate = runtime("one", meters);
    fake.create("namespaces", "", Manifests.namespace("team-a"));
    // examples/clusters/empty.json: two A100s on gpu-1, four on gpu-2
    fake.create("nodes", "", node("gpu-1", 2));
    fake.create("nodes", "", node("gpu-2", 4));
  }

  private static ObjectNode node(String name, int gpus) {
    ObjectNode node = Manifests.node(name, gpus);
    node.withObject("/metadata/labels")
        .put("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB")
        .put("nvidia.com/gpu.count", String.valueOf(gpus));
    return node;
  }

  private GateControllerRuntime runtime(String identity, SimpleMeterRegistry registry) {
    var recorded =
        ENGINE.readCluster(RunningService.root().resolve("examples/clusters/empty.json"));
    var snapshot = ENGINE.snapshot(recorded);
    var names = ENGINE.devices().names();
    WorkloadPredictor unknown =
        (workload, _, _) -> new WorkloadPredictor.Outcome.UnknownModel(workload.model());
    return new GateControllerRuntime(
        new LoopContext(server, process.supervisor),
        new GateControllerRuntime.Identified(LEASE, identity),
        new GateControllerRuntime.Parts(
            () -> snapshot,
            unknown,
            ENGINE.decider(),
            Policies.of(policy),
            label -> names.find(label, MemorySize.ZERO),
            MemoryCorrection.NONE,
            GateSettings.DEFAULT,
            GateTracing.OFF,
            records::add,
            InstantSource.system()),
        registry);
  }

  @AfterEach
  void stop() {
    gate.stop();
    server.close();
    fake.close();
  }

  private boolean isUngated(String name) {
    return fake.find("pods", "team-a", name).orElseThrow().at("/spec/schedulingGates").isEmpty();
  }

  private double metric(SimpleMeterRegistry registry, String name) {
    return registry.get(name).gauge().value();
  }

  @Test
  void grantsCapacityToHeldPodsAndShowsWhoWaits() {
    for (int i = 0; i < 7; i++) {
      fake.create("pods", "team-a", Manifests.gatedPod("pod-" + i));
    }
    gate.start();
    Eventually.holds(
        "six of seven have a GPU each",
        () ->
            fake.list("pods").stream().filter(p -> p.at("/spec/schedulingGates").isEmpty()).count()
                == 6);
    Eventually.holds("one waits", () -> gate.view().queue().size() == 1);

    assertThat(gate.isDeciding()).isTrue();
    List<String> gpus =
        fake.list("pods").stream()
            .map(pod -> pod.at("/metadata/annotations/cotenant.dev~1assigned-gpu").asText(""))
            .filter(gpu -> !gpu.isEmpty())
            .toList();
    assertThat(gpus).hasSize(6).doesNotHaveDuplicates();
    assertThat(metric(meters, "cotenant.leader")).isEqualTo(1);
    assertThat(metric(meters, "cotenant.gated.pods")).isEqualTo(1);
    assertThat(metric(meters, "cotenant.term")).isPositive();
    Eventually.holds("it is said why", () -> !fake.list("events").isEmpty());
    Eventually.holds(
        "all decisions are recorded",
        () ->
            records.stream().filter(record -> record.decision().result().equals("Admitted")).count()
                    == 6
                && records.stream().anyMatch(record -> record.decision().result().equals("Held")));
    assertThat(records)
        .allSatisfy(record -> assertThat(record.mode()).isEqualTo(Policy.Mode.ENFORCE));
    assertThat(meters.get("cotenant.decisions").tag("result", "Admitted").counter().count())
        .isEqualTo(6);
  }

  @Test
  void aPodThatEndsMakesCapacityForTheNext() {
    for (int i = 0; i < 7; i++) {
      fake.create("pods", "team-a", Manifests.gatedPod("pod-" + i));
    }
    gate.start();
    Eventually.holds("one waits", () -> gate.isDeciding() && gate.view().queue().size() == 1);
    String granted =
        fake.list("pods").stream()
            .filter(pod -> pod.at("/spec/schedulingGates").isEmpty())
            .map(pod -> pod.at("/metadata/name").asText())
            .findFirst()
            .orElseThrow();
    fake.delete("pods", "team-a", granted);

    Eventually.holds("nobody waits", () -> gate.view().queue().isEmpty());
    assertThat(fake.list("pods"))
        .allSatisfy(pod -> assertThat(pod.at("/spec/schedulingGates")).isEmpty());
  }

  @Test
  void anotherReplicaGoesOnWithWhatTheFirstGranted() {
    fake.create("pods", "team-a", Manifests.gatedPod("first"));
    gate.start();
    Eventually.holds("it is ungated", () -> isUngated("first"));
    SimpleMeterRegistry others = new SimpleMeterRegistry();
    GateControllerRuntime second = runtime("two", others);
    second.start();
    gate.stop();
    fake.create("pods", "team-a", Manifests.gatedPod("second"));
    Eventually.holds("the second grants", () -> isUngated("second"));

    assertThat(second.leader()).contains("two");
    Eventually.holds("its view has both", () -> second.view().granted().size() == 2);
    assertThat(gate.view().granted()).isEmpty();
    second.stop();
  }

  /** One of gpu-1, both, and one of gpu-2 are taken; two more of gpu-2 pass who wants all four. */
  @Test
  void whoWasPassedIsNotedBeforeTheLeaseIsGivenBack() {
    List.of("a", "b", "c").forEach(name -> fake.create("pods", "team-a", Manifests.gatedPod(name)));
    gate.start();
    Eventually.holds("three are ungated", () -> isUngated("a") && isUngated("b") && isUngated("c"));
    ObjectNode four = Manifests.gatedPod("all-four");
    ((ObjectNode) four.at("/spec/containers/0/resources/limits")).put("nvidia.com/gpu", "4");
    fake.create("pods", "team-a", four);
    Eventually.holds("it waits", () -> gate.view().queue().size() == 1);
    fake.create("pods", "team-a", Manifests.gatedPod("d"));
    Eventually.holds("it is passed", () -> isUngated("d"));
    fake.create("pods", "team-a", Manifests.gatedPod("e"));
    Eventually.holds("it is passed again", () -> isUngated("e"));

    gate.stop();

    assertThat(fake.list("configmaps"))
        .anySatisfy(notes -> assertThat(notes.at("/data/queue").asText()).contains("\"skips\":2"));
  }

  @Test
  void podsThatNoWebhookHasSeenAreCounted() {
    ObjectNode missed = Manifests.gpuPod("missed");
    missed.withObject("/metadata/annotations").remove("cotenant.dev/admission-id");
    missed.withObject("/spec").put("nodeName", "gpu-1");
    missed.withObject("/status").put("phase", "Running");
    fake.create("pods", "team-a", missed);
    gate.start();

    Eventually.holds(
        "it is counted",
        () -> meters.get("cotenant.unmanaged.pods.detected").counter().count() == 1);
  }

  private static ObjectNode outOfMemory(ObjectNode pod) {
    ObjectNode killed = pod.deepCopy();
    killed.withObject("/spec").put("nodeName", "gpu-1");
    ObjectNode status = killed.withObject("/status").put("phase", "Running");
    status
        .putArray("containerStatuses")
        .addObject()
        .put("name", "main")
        .putObject("lastState")
        .putObject("terminated")
        .put("reason", "OOMKilled");
    return killed;
  }

  private ObjectNode granted(String name) {
    ObjectNode pod = Manifests.gatedPod(name);
    pod.withObject("/metadata")
        .putArray("ownerReferences")
        .addObject()
        .put("kind", "ReplicaSet")
        .put("name", "infer")
        .put("controller", true);
    fake.create("pods", "team-a", pod);
    Eventually.holds(name + " is ungated", () -> isUngated(name));
    return fake.find("pods", "team-a", name).orElseThrow();
  }

  @Test
  void aPodThatRanOutOfMemoryIsToldOnlyUnlessPolicySaysOtherwise() {
    gate.start();
    fake.replace("pods", outOfMemory(granted("infer-0")));

    Eventually.holds(
        "it is said what could be done",
        () ->
            fake.list("events").stream()
                .anyMatch(event ->
                    event.path("reason").asText().equals("OutOfMemory")
                        && event.path("message").asText().contains("cotenant.dev/gpu-memory")));
    assertThat(fake.find("pods", "team-a", "infer-0")).isPresent();
  }

  @Test
  void aPodThatRanOutOfMemoryIsDeletedWherePolicySaysSoAndTheNextLeaderKnows() {
    policy = Policy.DEFAULT.with(copy -> copy.outOfMemory = Policy.OutOfMemory.RESUBMIT);
    gate = runtime("one", new SimpleMeterRegistry());
    gate.start();
    fake.replace("pods", outOfMemory(granted("infer-0")));
    Eventually.holds("it is deleted", () -> fake.find("pods", "team-a", "infer-0").isEmpty());
    assertThat(
            fake.find("configmaps", "cotenant-system", "cotenant-leader-state-0")
                .orElseThrow()
                .at("/data/resubmitted")
                .asText())
        .contains("\"team-a/ReplicaSet/infer\":{\"times\":1");

    gate.stop();
    gate = runtime("two", new SimpleMeterRegistry());
    gate.start();
    fake.replace("pods", outOfMemory(granted("infer-1")));
    Eventually.holds(
        "the second of its owner waits a minute",
        () ->
            fake.list("events").stream()
                .anyMatch(event -> event.path("message").asText().contains("(2 of 3)")));
    assertThat(fake.find("pods", "team-a", "infer-1")).isPresent();
  }

  @Test
  void aReservationIsWhereTheNextLeaderFindsItBeforeItsCallerKnows() {
    gate.start();
    Eventually.holds("it decides", gate::isDeciding);
    Reservations first = reservations(gate);
    Reservations.Request requested =
        new Reservations.Request(
            new Reservation.RequestKey("alice", "key", "f"),
            new Colocatable(
                new PodIdentity("team-a", "made", null),
                new GpuRequest(GpuDialect.NVIDIA, "main", 1, null, null),
                new WorkloadAnnotations(
                    null, 1, RunSettings.DEFAULT, null, null, null, null, List.of()),
                new NodeConstraints(null, List.of())));
    Reservation made = ((ReservationOutcome.Reserved) first.reserve(requested)).reservation();
    assertThat(
            fake.list("configmaps").stream()
                .filter(map -> map.path("data").has(made.id()))
                .map(map -> map.at("/metadata/name").asText()))
        .singleElement()
        .asString()
        .startsWith("cotenant-leader-reservations-");

    gate.stop();
    gate = runtime("two", new SimpleMeterRegistry());
    gate.start();
    Eventually.holds("the next decides", gate::isDeciding);
    Reservations second = reservations(gate);
    assertThat(second.find(made.id()))
        .hasValueSatisfying(seen -> assertThat(seen.state()).isEqualTo(GrantState.ALLOCATED));
    Reservation again = ((ReservationOutcome.Reserved) second.reserve(requested)).reservation();
    assertThat(again.id()).isEqualTo(made.id());
    assertThat(again.granted().grants()).isEqualTo(made.granted().grants());
    assertThat(second.release(made.id())).isTrue();
    assertThat(fake.list("configmaps")).noneMatch(map -> map.path("data").has(made.id()));
  }

  private Reservations reservations(GateControllerRuntime runtime) {
    var recorded =
        ENGINE.readCluster(RunningService.root().resolve("examples/clusters/empty.json"));
    var snapshot = ENGINE.snapshot(recorded);
    PodDecisions decisions =
        new PodDecisions(
            new DecisionPorts(
                () -> snapshot,
                (workload, _, _) -> new WorkloadPredictor.Outcome.UnknownModel(workload.model()),
                ENGINE.decider(),
                InstantSource.system()),
            Policies.of(policy),
            new Ledger(InstantSource.system(), Duration.ofMinutes(2)));
    return new Reservations(
        decisions,
        new GateCapacityLedger(new GateCalls(runtime.loop(), runtime::leader)),
        new Reservations.Ports(runtime.reservations(), InstantSource.system(), new RandomIds()));
  }
}
