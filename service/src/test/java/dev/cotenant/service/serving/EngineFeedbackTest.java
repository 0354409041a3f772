package dev.cotenant.service.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.admission.supervision.Fault;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.lifecycle.StoreException;
import dev.cotenant.engine.model.FolderDescriptions;
import dev.cotenant.engine.model.LanguageModelRuns;
import dev.cotenant.engine.model.ModelRegistry;
import dev.cotenant.engine.serving.ServingStart;
import dev.cotenant.engine.testing.FakeServingStore;
import dev.cotenant.engine.testing.MeasuredServers;
import dev.cotenant.llm.serving.ServingParts;
import dev.cotenant.llm.serving.VllmVersion;
import dev.cotenant.service.supervision.LoopFaults;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What running servers tell becomes a start of their namespace. */
class EngineFeedbackTest {
  private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");
  private static final PodIdentity POD = new PodIdentity("team-a", "llama-0", null);
  private static final VllmVersion RELEASE = new VllmVersion(0, 19);
  private static final ServingParts PARTS = MeasuredServers.shipped(RELEASE);
  private static final Engine ENGINE = Engine.standard();

  /** Metrics of the server, once it is up. */
  private final class Exported implements EngineMetrics {
    @Override
    public Reading read(Instant at) {
      return new Reading(
          isUp ? Map.of("team-a/llama-0", new Served(tokens, scrapedAt)) : Map.of(), "");
    }

    @Override
    public void close() {
      isUp = false;
    }
  }

  @TempDir private Path folder = Path.of("");
  private final FakeServingStore store = new FakeServingStore();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private Instant now = START.minusSeconds(60);
  private double tokens = PARTS.tokens(PARTS.kvCache() - MemorySize.GIB);
  private Tenancy before = new Tenancy.Shared(List.of());
  private Tenancy tenancy = new Tenancy.Shared(List.of(tenant("team-a/llama-0")));
  private GpuRequest request = new GpuRequest(GpuDialect.NVIDIA, "main", 1, null, null);
  private Map<String, String> arguments = Map.of();
  private String description = MeasuredServers.DESCRIPTION;
  private double used = PARTS.process() + MemorySize.GIB / 4.0;
  private boolean isUp = true;
  private String uid = "uid";
  private Instant scrapedAt = START.plusSeconds(90);
  private final Map<String, Instant> serving = new HashMap<>();

  private Holding holding(@Nullable String version, List<String> unread) {
    EngineRun run =
        new EngineRun(
            "team-a",
            EngineRun.Kind.SERVER,
            "vllm",
            version,
            MeasuredServers.REFERENCE,
            false,
            arguments,
            unread);
    WatchedPod watched =
        new WatchedPod(
            uid,
            "1",
            POD,
            new Colocatable(
                POD,
                request,
                new WorkloadAnnotations(
                    null, 1, RunSettings.DEFAULT, null, null, null, null, List.of(), run, null),
                new NodeConstraints(null, List.of())),
            Map.of(),
            new WatchedPod.Scheduling(
                List.of(),
                "node",
                NodeRequirements.NONE,
                0,
                false,
                WatchedPod.Scheduling.DEFAULT_SCHEDULER),
            new WatchedPod.Life(START, START, WatchedPod.Phase.RUNNING, false, false, null),
            true,
            Footprint.NONE);
    return new Holding(
        watched,
        GrantState.OBSERVED,
        new Decision.Admitted(List.of(new Grant("GPU-1", "node", null)), new Evidence.Recorded("")),
        null);
  }

  private GateView view(Holding held) {
    GpuSnapshot gpu =
        new GpuSnapshot(
            "GPU-1",
            "node",
            ENGINE.devices().require("h100-80gb"),
            MemorySize.ofGiB(80),
            now.isBefore(START) ? before : tenancy,
            new MemoryObservation.Measured(
                MemorySize.ofBytes((long) used),
                MemorySize.ofGiB(80),
                Duration.ofSeconds(30),
                Duration.ofMinutes(10),
                List.of()));
    return new GateView(
        1,
        now,
        List.of(),
        Map.of(POD, held),
        new ClusterSnapshot(now, List.of(gpu)),
        GateView.Health.GOOD);
  }

  private EngineFeedback feedback(Holding held) throws IOException {
    ModelRegistry registry = ModelRegistry.of(ENGINE);
    registry.put(
        registry.read("llama", Files.writeString(folder.resolve("llama.json"), description)));
    LanguageModelRuns models =
        new LanguageModelRuns(
            registry,
            new FolderDescriptions(
                FolderDescriptions.Folders.NONE,
                FolderDescriptions.Bounds.DEFAULT,
                InstantSource.system()));
    return new EngineFeedback(
        new Exported(),
        new EngineFeedback.Gate(() -> view(held), serving::putAll),
        new ServingReports(models, ENGINE::devices, store, () -> now),
        meters,
        () -> now);
  }

  private List<ServingStart> learned(Holding held) throws IOException {
    EngineFeedback feedback = feedback(held);
    observe(feedback);
    feedback.observe();
    return store.starts("team-a");
  }

  /** From before the start of the pod until its memory is measured. */
  private void observe(EngineFeedback feedback) {
    feedback.observe();
    now = START.plus(EngineFeedback.SETTLED);
    feedback.observe();
    now = now.plus(EngineFeedback.FRESH);
    feedback.observe();
  }

  private double counted(String outcome) {
    return meters.counter("cotenant.serving.starts", "outcome", outcome).count();
  }

  @Test
  void aServerGivesOneStartOfItsNamespace() throws IOException {
    List<ServingStart> starts = learned(holding("0.19", List.of()));
    assertThat(starts).hasSize(1);
    assertThat(starts.getFirst().release()).isEqualTo("0.19");
    assertThat(starts.getFirst().source()).isEqualTo("metrics of team-a/llama-0");
    assertThat(starts.getFirst().document()).contains("activation_bytes", "context_bytes");
    assertThat(counted("added")).isEqualTo(1);
  }

  @Test
  void aPodThatHoldsItsGpuExclusivelyCountsToo() throws IOException {
    tenancy = new Tenancy.Exclusive("team-a/llama-0");
    assertThat(learned(holding("0.19", List.of()))).hasSize(1);
  }

  /** What neighbours hold, or held when the server started, changes what its numbers say. */
  @Test
  void nothingIsLearnedOfServersWithNeighbours() throws IOException {
    Tenancy mine = tenancy;
    before = new Tenancy.Shared(List.of(tenant("team-b/gone")));
    assertThat(learned(holding("0.19", List.of()))).isEmpty();
    now = START.minusSeconds(60);
    before = new Tenancy.Shared(List.of());
    tenancy = new Tenancy.Shared(List.of(tenant("team-a/llama-0"), tenant("team-b/new")));
    assertThat(learned(holding("0.19", List.of()))).isEmpty();
    tenancy = new Tenancy.Exclusive("team-b/new");
    assertThat(learned(holding("0.19", List.of()))).isEmpty();
    now = START.plusSeconds(1); // it came to lead after the start
    tenancy = mine;
    assertThat(learned(holding("0.19", List.of()))).isEmpty();
  }

  /** A used memory that cannot be its context leaves the rest of the start. */
  @Test
  void anImplausibleContextIsUnknown() throws IOException {
    used = PARTS.process() + 9.0 * MemorySize.GIB;
    ServingStart start = learned(holding("0.19", List.of())).getFirst();
    assertThat(start.document()).contains("activation_bytes").doesNotContain("context_bytes");
  }

  @Test
  void nothingIsLearnedWhereTheContainerSeesLessThanItsGpu() throws IOException {
    request = new GpuRequest(GpuDialect.HAMI, "main", 1, null, null);
    assertThat(learned(holding("0.19", List.of()))).isEmpty();
    assertThat(counted("rejected")).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"num-gpu-blocks-override", "cpu-offload-gb", "speculative-config"})
  void argumentsThatNoFormulaCountsProveNothing(String name) throws IOException {
    arguments = Map.of(name, "7");
    assertThat(learned(holding("0.19", List.of()))).isEmpty();
    assertThat(counted("rejected")).isEqualTo(1);
  }

  /** vLLM counts blocks of each kind of layers together. */
  @Test
  void mixedLayersProveNothing() throws IOException {
    description =
        description.replace(
            "\"model_type\": \"llama\"",
            "\"model_type\": \"gemma3_text\", \"sliding_window\": 1024,"
                + " \"sliding_window_pattern\": 6");
    assertThat(learned(holding("0.19", List.of()))).isEmpty();
    assertThat(counted("rejected")).isEqualTo(1);
  }

  /** Its image's tag is no version: others are learned from all the same, and it counts once. */
  @Test
  void aPodWithAStrangeTagEndsNoLook() throws IOException {
    assertThat(learned(holding("0.19_cu128", List.of()))).isEmpty();
    assertThat(counted("rejected")).isEqualTo(1);
  }

  /** What is not known yet of its model may be known at the next look. */
  @Test
  void aStartIsOfferedAgainWhereItsModelIsUnknown() throws IOException {
    description = description.replace(MeasuredServers.REFERENCE, "other/model");
    assertThat(learned(holding("0.19", List.of()))).isEmpty();
    assertThat(counted("rejected")).isZero();
  }

  /** Each pod's start counts once, whoever leads; pods that measure the same count each. */
  @Test
  void aStartCountsOnceForItsPod() throws IOException {
    learned(holding("0.19", List.of()));
    now = START.minusSeconds(60);
    assertThat(learned(holding("0.19", List.of()))).hasSize(1);
    assertThat(counted("duplicate")).isEqualTo(1);
    uid = "other";
    now = START.minusSeconds(60);
    assertThat(learned(holding("0.19", List.of()))).hasSize(2);
  }

  private static Tenant tenant(String name) {
    Utilization busy = Utilization.ofPercent(40);
    MemorySize memory = MemorySize.ofGiB(72);
    return new Tenant(
        name,
        new UtilizationEstimate(busy, busy, busy, null),
        new MemoryEstimate(memory, memory, memory, null),
        Slowdown.ofRatio(1.15),
        START,
        null);
  }

  /** Whatever its arguments leave unread: the order of starts needs its metrics alone. */
  @Test
  void theGateHearsOfServersThatServe() throws IOException {
    EngineFeedback feedback = feedback(holding(null, List.of("--config is not read")));
    now = START.plusSeconds(100);
    isUp = false;
    feedback.observe();
    assertThat(serving).isEmpty();
    isUp = true;
    feedback.observe();
    assertThat(serving).containsExactly(Map.entry("uid", scrapedAt));
    serving.clear();
    now = START.plus(EngineFeedback.SETTLED); // nobody waits for it any more
    feedback.observe();
    assertThat(serving).isEmpty();
  }

  @Test
  void theGateHearsOfServersWhoseLogSaysSo() throws IOException {
    EngineFeedback feedback = feedback(holding("0.19", List.of()));
    now = START.plusSeconds(100);
    feedback.serves("team-b", "llama-0");
    assertThat(serving).isEmpty();
    feedback.serves("team-a", "llama-0");
    assertThat(serving).containsExactly(Map.entry("uid", now));
  }

  /** A pool that is larger than the card leaves is made up, or of other arguments. */
  @Test
  void whatContradictsArithmeticIsCountedAndLeftOut() throws IOException {
    tokens = 10 * tokens;
    assertThat(learned(holding("0.19", List.of()))).isEmpty();
    assertThat(counted("rejected")).isEqualTo(1);
  }

  @Test
  void nothingIsLearnedOfServersThatJustCameOrAreNotKnown() throws IOException {
    assertThat(learned(holding(null, List.of()))).isEmpty();
    assertThat(learned(holding("0.19", List.of("--config is not read")))).isEmpty();
    isUp = false;
    now = START.minusSeconds(60);
    assertThat(learned(holding("0.19", List.of()))).isEmpty();
  }

  /** The store is down for a while: the start is offered again. */
  @Test
  void aStartIsNotLostWithTheStore() throws IOException {
    EngineFeedback feedback = feedback(holding("0.19", List.of()));
    store.setDown(true);
    assertThatThrownBy(() -> observe(feedback)).isInstanceOf(StoreException.class);
    store.setDown(false);
    feedback.observe();
    assertThat(store.starts("team-a")).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void isHealedOrEndsTheProcess(Fault.Kind kind) {
    LoopFaults faults = new LoopFaults("engine-metrics", kind);
    AtomicInteger looks = new AtomicInteger();
    try (EngineFeedback feedback =
        new EngineFeedback(
            EngineMetrics.NONE,
            new EngineFeedback.Gate(
                () -> {
                  faults.strike();
                  looks.incrementAndGet();
                  return GateView.NOT_LEADING;
                },
                _ -> {}),
            new ServingReports(
                new LanguageModelRuns(
                    ModelRegistry.of(ENGINE),
                    new FolderDescriptions(
                        FolderDescriptions.Folders.NONE,
                        FolderDescriptions.Bounds.DEFAULT,
                        InstantSource.system())),
                ENGINE::devices,
                store,
                InstantSource.system()),
            meters,
            InstantSource.system())) {
      feedback.start(Duration.ofMillis(5), faults.process().supervisor);

      faults.assertHealed(Duration.ofMinutes(5));
      if (faults.isSurvived()) {
        int before = looks.get();
        Eventually.holds("it looks again", () -> looks.get() > before + 1);
      }
    }
  }
}
