package dev.cotenant.service.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.AdmissionWebhooks;
import dev.cotenant.admission.decision.DecisionPorts;
import dev.cotenant.admission.decision.DecisionRecord;
import dev.cotenant.admission.fill.FillReport;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.port.MemoryCorrection;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.api.LoopContext;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer;
import dev.cotenant.admission.kubernetes.testing.Manifests;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.supervision.FakeProcess;
import dev.cotenant.admission.webhook.AdmissionListener;
import dev.cotenant.admission.webhook.AdmissionPorts;
import dev.cotenant.admission.webhook.AdmissionSettings;
import dev.cotenant.admission.webhook.RandomIds;
import dev.cotenant.admission.webhook.WebhookOutcome;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.EngineSettings;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.configuration.KubernetesSettings;
import dev.cotenant.service.gate.GateControllerRuntime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pods from their review in mode enforce to the patch of the gate controller. */
class PodTraceTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Engine ENGINE = Engine.standard(EngineSettings.DEFAULT);
  private static final WorkloadPredictor UNKNOWN =
      (workload, _, _) -> new WorkloadPredictor.Outcome.UnknownModel(workload.model());

  @TempDir Path folder;

  private final InMemorySpanExporter spans = InMemorySpanExporter.create();
  private final FakeProcess process = new FakeProcess();
  private final ClusterSnapshot cluster =
      ENGINE.snapshot(
          ENGINE.readCluster(RunningService.root().resolve("examples/clusters/empty.json")));
  private FakeApiServer fake;
  private ApiServer server;

  @BeforeEach
  void start() throws IOException {
    fake = new FakeApiServer(folder);
    server = ApiServer.of(Optional.of(fake.kubeconfig(folder, "test")), Duration.ofSeconds(20));
    fake.create("namespaces", "", Manifests.namespace("team-a"));
    ObjectNode node = Manifests.node("gpu-1", 2);
    node.withObject("/metadata/labels")
        .put("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB")
        .put("nvidia.com/gpu.count", "2");
    fake.create("nodes", "", node);
  }

  @AfterEach
  void stop() {
    server.close();
    fake.close();
  }

  private OtlpTracing tracing(double share) {
    return new OtlpTracing(SimpleSpanProcessor.create(spans), share, "test");
  }

  /** The admission id that the webhook gives the pod. */
  private String admit(Tracing tracing, ObjectNode pod) throws IOException {
    AdmissionPorts ports =
        new AdmissionPorts(
            new DecisionPorts(
                () -> cluster, UNKNOWN, ENGINE.decider(), InstantSource.system(), tracing.spans()),
            tracing.listening(new Silence()),
            tracing.ids(new RandomIds()));
    AdmissionWebhooks webhooks =
        new AdmissionWebhooks(
            ports,
            new AdmissionSettings(Policies.of(Policy.DEFAULT), "system:serviceaccount:c:c"),
            new Ledger(InstantSource.system(), Duration.ofMinutes(2)));
    ObjectNode review =
        Manifests.json(
            """
            {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
              "uid": "u", "kind": {"version": "v1", "kind": "Pod"}, "operation": "CREATE",
              "namespace": "team-a", "userInfo": {"username": "me"}}}
            """);
    review.withObject("/request").set("object", pod);
    byte[] answer =
        tracing
            .review("mutate", webhooks::mutate)
            .answer(review.toString().getBytes(StandardCharsets.UTF_8), Runnable::run)
            .join();
    JsonNode patch = JSON.readTree(JSON.readTree(answer).at("/response/patch").binaryValue());
    for (JsonNode operation : patch) {
      if (operation.path("path").asText().endsWith("admission-id")) {
        return operation.path("value").asText();
      }
      JsonNode within = operation.path("value").path("cotenant.dev/admission-id");
      if (within.isTextual()) {
        return within.asText();
      }
    }
    throw new AssertionError("no admission id in " + patch);
  }

  private ObjectNode admitted(Tracing tracing, String name) throws IOException {
    ObjectNode pod = Manifests.gpuPod(name);
    pod.withObject("/metadata").remove("annotations");
    String id = admit(tracing, pod);
    ObjectNode gated = Manifests.gatedPod(name);
    gated.withObject("/metadata/annotations").put("cotenant.dev/admission-id", id);
    return gated;
  }

  private GateControllerRuntime keeper(Tracing tracing) {
    var names = ENGINE.devices().names();
    return new GateControllerRuntime(
        new LoopContext(server, process.supervisor),
        new GateControllerRuntime.Identified(
            new KubernetesSettings.Lease(
                "cotenant-system",
                "cotenant-leader",
                Duration.ofSeconds(3),
                Duration.ofSeconds(2),
                Duration.ofMillis(100)),
            "one"),
        new GateControllerRuntime.Parts(
            () -> cluster,
            UNKNOWN,
            ENGINE.decider(),
            Policies.of(Policy.DEFAULT),
            label -> names.find(label, MemorySize.ZERO),
            MemoryCorrection.NONE,
            GateSettings.DEFAULT,
            tracing.gate(),
            _ -> {},
            InstantSource.system()),
        new SimpleMeterRegistry());
  }

  private List<SpanData> ofPod(String name) {
    String trace =
        fake.find("pods", "team-a", name)
            .orElseThrow()
            .at("/metadata/annotations/cotenant.dev~1admission-id")
            .asText()
            .substring(0, 32);
    return spans.getFinishedSpanItems().stream()
        .filter(span -> span.getTraceId().equals(trace))
        .toList();
  }

  /** Whether a span is directly below one of this name in its pod's trace. */
  private boolean below(SpanData span, String pod, String name) {
    return ofPod(pod).stream()
        .filter(parent -> parent.getName().equals(name))
        .anyMatch(parent -> parent.getSpanId().equals(span.getParentSpanId()));
  }

  private static SpanData named(List<SpanData> trace, String name) {
    return trace.stream().filter(span -> span.getName().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void reviewDecisionAndPatchAreOneTrace() throws IOException {
    try (OtlpTracing tracing = tracing(1)) {
      for (String name : List.of("a", "b")) {
        fake.create("pods", "team-a", admitted(tracing, name));
      }
      GateControllerRuntime gate = keeper(tracing);
      gate.start();
      Eventually.holds("two have a GPU each", () -> isUngated("a") && isUngated("b"));
      fake.create("pods", "team-a", admitted(tracing, "c"));
      Eventually.holds(
          "the patch is answered",
          () -> ofPod("a").stream().anyMatch(span -> below(span, "a", "decide")));
      Eventually.holds(
          "the third is held",
          () -> ofPod("c").stream().anyMatch(span -> span.getName().equals("decide")));
      gate.stop();

      List<SpanData> trace = ofPod("a");
      SpanData review = named(trace, "review mutate");
      assertThat(review.getParentSpanContext().isValid()).isFalse();
      assertThat(review.getAttributes().get(PodAttributes.OUTCOME)).isEqualTo("gated");
      SpanData decide = named(trace, "decide");
      assertThat(decide.getParentSpanId()).isEqualTo(review.getSpanId());
      assertThat(decide.getAttributes().get(PodAttributes.POD)).isEqualTo("a");
      assertThat(trace)
          .filteredOn(span -> span.getParentSpanId().equals(decide.getSpanId()))
          .singleElement()
          .satisfies(patch -> {
            assertThat(patch.getName()).isEqualTo("patch");
            assertThat(patch.getAttributes().get(PodAttributes.OUTCOME)).isEqualTo("done");
          });
      SpanData held = named(ofPod("c"), "decide");
      assertThat(held.getAttributes().get(PodAttributes.RESULT)).isEqualTo("Held");
      assertThat(held.getAttributes().get(PodAttributes.REASON)).isNotEmpty();
    }
  }

  private boolean isUngated(String name) {
    return fake.find("pods", "team-a", name).orElseThrow().at("/spec/schedulingGates").isEmpty();
  }

  @Test
  void aReviewThatIsNotTracedHasNoTraceInItsId() throws IOException {
    try (OtlpTracing tracing = tracing(0)) {
      assertThat(admit(tracing, Manifests.gpuPod("a"))).hasSize(32 + 9);
    }
    assertThat(admit(Tracing.OFF, Manifests.gpuPod("a"))).hasSize(32 + 9);
    assertThat(spans.getFinishedSpanItems()).isEmpty();
  }

  @Test
  void idsThatUsersWriteNameNoTraceOrAnyOne() {
    for (String id : List.of("", "token-a", "0".repeat(48), "g".repeat(48), "a".repeat(47))) {
      assertThat(AdmissionTrace.review(java.util.Map.of("cotenant.dev/admission-id", id)))
          .as(id)
          .isNull();
    }
  }

  private static final class Silence implements AdmissionListener {
    @Override
    public void answered(WebhookOutcome answer) {}

    @Override
    public void decided(DecisionRecord decision) {}

    @Override
    public void filled(FillReport report) {}

    @Override
    public void killed(PodIdentity pod) {}
  }
}
