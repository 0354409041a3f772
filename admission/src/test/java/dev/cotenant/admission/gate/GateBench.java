package dev.cotenant.admission.gate;

import dev.cotenant.admission.FakePredictor;
import dev.cotenant.admission.cluster.ClusterWriter;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.GateListener;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.port.MemoryCorrection;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.state.LeaderState;
import dev.cotenant.admission.state.LeaderState.MemoryShortage;
import dev.cotenant.admission.state.LeaderStateSaver;
import dev.cotenant.admission.state.PersistedState;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.interference.InterferenceModel;
import dev.cotenant.interference.risk.RiskModels;
import dev.cotenant.placement.SharingDecider;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One leading controller on a fake API server that answers at once; time passes when it is told.
 */
public final class GateBench implements GateListener {
  final FakeApiServer server = new FakeApiServer();
  final Set<String> blind = new HashSet<>();
  final Set<String> optedOut = new HashSet<>();
  final List<String> log = new ArrayList<>();
  final List<Decision> decisions = new ArrayList<>();
  public final FakeGpus gpus;
  Replica replica;
  Policy policy = Policy.DEFAULT.with(copy -> copy.gpuAssignment = Policy.GpuAssignment.HAMI);
  WorkloadPredictor predictor = new FakePredictor();
  InterferenceModel interference = FallbackInterferenceModel.builtIn();
  RiskModels risks = RiskModels.UNTRAINED;
  Instant now = Instant.parse("2026-11-21T12:00:00Z");
  LeaderState notes = LeaderState.NONE;
  private ClusterSnapshot readings;
  private long term;
  private int created;

  /** Nodes with so many GPUs each: {@code n1} with {@code GPU-n1-0} and so on. */
  public GateBench(int... gpusByNode) {
    this(new FakeGpus(uuids(gpusByNode)));
  }

  GateBench(FakeGpus gpus) {
    this.gpus = gpus;
    readings = gpus.measure(now, server.pods.values(), blind);
    replica = replica();
    server.changes.add(pod -> replica.news.add(c -> c.podSeen(term, pod)));
    server.removals.add(uid -> replica.news.add(c -> c.podGone(term, uid)));
  }

  private static Map<String, List<String>> uuids(int... gpusByNode) {
    Map<String, List<String>> nodes = new TreeMap<>();
    for (int i = 0; i < gpusByNode.length; i++) {
      List<String> uuids = new ArrayList<>();
      for (int g = 0; g < gpusByNode[i]; g++) {
        uuids.add("GPU-" + (i + 1) + (char) ('a' + g));
      }
      nodes.put("n" + (i + 1), uuids);
    }
    return nodes;
  }

  private final MemoryCorrection corrections =
      new MemoryCorrection() {
        @Override
        public void ranOut(MemoryShortage shortage) {
          log.add(
              "corrected "
                  + shortage.workload().model()
                  + " "
                  + shortage.device().value()
                  + " "
                  + shortage.atLeast());
        }

        @Override
        public void replaceAll(Collection<MemoryShortage> shortages) {
          shortages.forEach(this::ranOut);
        }
      };

  private Replica replica() {
    return new Replica(
        new GatePorts(
            () -> readings,
            predictor,
            new SharingDecider(interference, risks),
            new Replica.Nowhere(),
            LeaderStateSaver.NONE,
            () -> Policies.of(policy),
            namespace -> !optedOut.contains(namespace),
            DeviceCatalogue.builtIn()::find,
            corrections,
            this,
            () -> now),
        GateSettings.DEFAULT,
        server,
        () -> now);
  }

  /** A new process leads. */
  void lead() {
    begin(new PersistedState(List.of(), notes));
  }

  /** A new process leads, and is told what earlier ones left. */
  void begin(PersistedState kept) {
    beginInSilence(kept);
    settle();
  }

  /** The same; nothing that it writes arrives yet. */
  void beginInSilence(PersistedState kept) {
    replica = replica();
    term++;
    replica.controller.begin(term, server.list(), gpus.nodes(), kept);
  }

  GateController controller() {
    return replica.controller;
  }

  /** Until nothing more happens without time passing. */
  void settle() {
    for (int i = 0; i < 8; i++) {
      notes = replica.notes == null ? notes : replica.notes;
      replica.flyAll();
      List<Runnable> answers = List.copyOf(replica.answers);
      replica.answers.clear();
      answers.forEach(Runnable::run);
      replica.runInbox();
      var news = List.copyOf(replica.news);
      replica.news.clear();
      news.forEach(n -> n.accept(replica.controller));
      replica.controller.runCycle();
    }
  }

  /** One cycle after all news. */
  Duration cycle() {
    var news = List.copyOf(replica.news);
    replica.news.clear();
    news.forEach(n -> n.accept(replica.controller));
    return replica.controller.runCycle();
  }

  void later(Duration duration) {
    now = now.plus(duration);
    measure();
  }

  void measure() {
    readings = gpus.measure(now, server.pods.values(), blind);
    replica.controller.readingsRefreshed();
    settle();
  }

  /** A held pod that asks for one GPU. */
  StoredPod hold(String name, @Nullable String model, int batch) {
    return hold(name, model, batch, 1);
  }

  StoredPod hold(String name, @Nullable String model, int batch, int wanted) {
    StoredPod pod = pod(name, model, batch, wanted);
    pod.gates.add(WatchedPod.GATE);
    server.create(pod);
    settle();
    return pod;
  }

  public StoredPod pod(String name, @Nullable String model, int batch, int wanted) {
    return pod(new PodIdentity("team-a", name, null), model, batch, wanted);
  }

  /** A held service with a latency objective. */
  StoredPod serve(String name, @Nullable String model, double rate, Duration objective) {
    StoredPod pod = created(name, model, rate, objective);
    settle();
    return pod;
  }

  /** The same before anybody has seen it. */
  StoredPod created(String name, @Nullable String model, double rate, Duration objective) {
    RunSettings settings =
        RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32)
            .withLoad(new Load.RequestRate(rate));
    StoredPod pod =
        pod(
            new PodIdentity("team-a", name, null),
            new WorkloadAnnotations(model, 1, settings, null, objective, null, null, List.of()),
            1);
    pod.gates.add(WatchedPod.GATE);
    server.create(pod);
    return pod;
  }

  /** A held server of a language model. */
  StoredPod holdServer(String name, String model) {
    return holdServer(name, model, null);
  }

  /** The same that declares its memory. */
  StoredPod holdServer(String name, String model, @Nullable MemorySize declared) {
    EngineRun run =
        new EngineRun(
            "team-a", EngineRun.Kind.SERVER, "vllm", "0.19", model, true, Map.of(), List.of());
    RunSettings settings = RunSettings.of(ExecutionMode.INFERENCE, Precision.BF16);
    StoredPod pod =
        pod(
            new PodIdentity("team-a", name, null),
            new WorkloadAnnotations(
                model, 1, settings, declared, null, null, null, List.of(), run, null),
            1);
    pod.gates.add(WatchedPod.GATE);
    server.create(pod);
    settle();
    return pod;
  }

  StoredPod pod(PodIdentity identity, @Nullable String model, int batch, int wanted) {
    return pod(
        identity,
        new WorkloadAnnotations(
            model, batch, RunSettings.DEFAULT, null, null, null, null, List.of()),
        wanted);
  }

  StoredPod pod(PodIdentity identity, WorkloadAnnotations workload, int wanted) {
    String name = identity.name();
    Colocatable requested =
        new Colocatable(
            identity,
            new GpuRequest(GpuDialect.NVIDIA, "main", wanted, null, null),
            workload,
            new NodeConstraints(null, List.of()));
    StoredPod pod = new StoredPod("uid-" + name + "-" + created++, requested, now);
    pod.annotations.put(CotenantAnnotations.ADMISSION_ID, "id-" + name);
    return pod;
  }

  void start(StoredPod pod) {
    pod.node = pod.annotations.get(CotenantAnnotations.ASSIGNED_NODE);
    pod.startedAt = now;
    pod.phase = WatchedPod.Phase.RUNNING;
    change(pod);
  }

  void change(StoredPod pod) {
    server.changed(pod);
    settle();
  }

  void remove(StoredPod pod) {
    server.remove(pod);
    settle();
  }

  /** Where it was granted capacity; null where it was not. */
  static @Nullable String gpu(StoredPod pod) {
    return pod.gates.isEmpty() ? pod.annotations.get(CotenantAnnotations.ASSIGNED_GPU) : null;
  }

  List<Reason> reasons(StoredPod pod) {
    return controller()
        .view()
        .waiting(pod.identity)
        .map(GateView.Waiting::decision)
        .map(decision ->
            switch (decision) {
              case Decision.Admitted _ -> List.<Reason>of();
              case Decision.Held(List<Reason> reasons) -> reasons;
              case Decision.Denied(List<Reason> reasons) -> reasons;
            })
        .orElse(List.of());
  }

  List<String> codes(StoredPod pod) {
    return reasons(pod).stream().map(Reason::code).distinct().sorted().toList();
  }

  /** Reasons of Events, in their order. */
  List<String> events() {
    return replica.told.stream().map(ClusterWriter.PodEvent::reason).toList();
  }

  GrantState state(StoredPod pod) {
    return Objects.requireNonNull(controller().view().granted().get(pod.identity)).state();
  }

  @Override
  public void decided(WatchedPod pod, @Nullable PlacementRequest request, Decision decision) {
    decisions.add(decision);
  }

  @Override
  public void ranOutOfMemory(WatchedPod pod) {
    log.add("out of memory " + pod.pod());
  }

  @Override
  public void stateNotWritten(String why) {
    log.add("not written: " + why);
  }

  @Override
  public void leaked(WatchedPod pod, Duration since) {
    log.add("leaked " + pod.pod() + " " + since.toSeconds());
  }

  @Override
  public void distrusted(WatchedPod pod, String why) {
    log.add("distrusted " + pod.pod() + ": " + why);
  }

  @Override
  public void ungatedUnmanaged(WatchedPod pod, String why) {
    log.add("ungated " + pod.pod() + ": " + why);
  }
}
