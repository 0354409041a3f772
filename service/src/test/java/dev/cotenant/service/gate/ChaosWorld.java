package dev.cotenant.service.gate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.capacity.GateCalls;
import dev.cotenant.admission.capacity.GateCapacityLedger;
import dev.cotenant.admission.decision.DecisionPorts;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.port.MemoryCorrection;
import dev.cotenant.admission.history.Linearizability;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.api.Json;
import dev.cotenant.admission.kubernetes.api.LoopContext;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Request;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Script;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Scripted;
import dev.cotenant.admission.kubernetes.testing.Manifests;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.reservation.Reservations;
import dev.cotenant.admission.supervision.FakeProcess;
import dev.cotenant.admission.webhook.RandomIds;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Workload;
import dev.cotenant.engine.Engine;
import dev.cotenant.service.FaultyProxy;
import dev.cotenant.service.RunningService;
import dev.cotenant.service.configuration.KubernetesSettings;
import dev.cotenant.service.tracing.GateTracing;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * Two replicas, each behind a network of its own, an API server, pods that come and go, and callers
 * who reserve. Each gets a whole GPU; the API server's objects are the truth.
 */
final class ChaosWorld implements AutoCloseable {
  private static final Engine ENGINE = Engine.standard();

  /** examples/clusters/empty.json. */
  private static final Map<String, Integer> GPUS = Map.of("gpu-1", 2, "gpu-2", 4);

  private static final int MAX_PODS = 12;

  /** How long a replica waits for an answer. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private static final KubernetesSettings.Lease LEASE =
      new KubernetesSettings.Lease(
          "cotenant-system",
          "cotenant-leader",
          Duration.ofSeconds(5),
          Duration.ofSeconds(4),
          Duration.ofMillis(200));

  final FakeApiServer cluster;
  final List<Member> members = new ArrayList<>();
  final ChaosReservations reservations;
  final Random random;
  volatile boolean measured = true;

  /** What goes wrong now, for messages. */
  String faults = "";

  /** What answers in place of the API server, in turn. */
  private final List<Script> scripts = new CopyOnWriteArrayList<>();

  private final long begin = System.nanoTime();
  private final ClusterSnapshot snapshot =
      ENGINE.snapshot(
          ENGINE.readCluster(RunningService.root().resolve("examples/clusters/empty.json")));
  private int created;
  private int granted;

  /** One replica. */
  final class Member {
    final FaultyProxy network;
    volatile Duration ahead = Duration.ZERO;

    /** By how many parts of a second the clock gains one. */
    volatile double drift;

    private final ApiServer server;
    private final FakeProcess process = new FakeProcess();
    private final GateControllerRuntime gate;
    private final Reservations reservations;

    Member(String name, Path folder) throws IOException {
      network = new FaultyProxy(URI.create(cluster.url()));
      Path own = Files.createDirectory(folder.resolve(name));
      String config = Files.readString(cluster.kubeconfig(own, name));
      Path kubeconfig =
          Files.writeString(
              own.resolve("through"),
              config.replace(cluster.url(), "https://127.0.0.1:" + network.port()));
      server = ApiServer.of(Optional.of(kubeconfig), PATIENCE);
      var names = ENGINE.devices().names();
      gate =
          new GateControllerRuntime(
              new LoopContext(server, process.supervisor),
              new GateControllerRuntime.Identified(LEASE, name),
              new GateControllerRuntime.Parts(
                  this::readings,
                  ChaosWorld::unknown,
                  ENGINE.decider(),
                  Policies.of(Policy.DEFAULT),
                  label -> names.find(label, MemorySize.ZERO),
                  MemoryCorrection.NONE,
                  GateSettings.DEFAULT,
                  GateTracing.OFF,
                  _ -> {},
                  this::now),
              new SimpleMeterRegistry());
      reservations = reservations();
    }

    private Reservations reservations() {
      DecisionPorts ports =
          new DecisionPorts(this::readings, ChaosWorld::unknown, ENGINE.decider(), this::now);
      PodDecisions decisions =
          new PodDecisions(
              ports,
              Policies.of(Policy.DEFAULT),
              new Ledger(this::now, GateSettings.DEFAULT.hold()));
      return new Reservations(
          decisions,
          new GateCapacityLedger(new GateCalls(gate.loop(), gate::leader)),
          new Reservations.Ports(gate.reservations(), this::now, new RandomIds()));
    }

    private ClusterSnapshot readings() {
      return measured ? snapshot : new ClusterSnapshot(now(), List.of());
    }

    boolean leads() {
      return gate.isDeciding();
    }

    private Instant now() {
      Duration passed = Duration.ofNanos(System.nanoTime() - begin);
      return Instant.now().plus(ahead).plusMillis((long) (passed.toMillis() * drift));
    }
  }

  ChaosWorld(Path folder, long seed) throws IOException {
    random = new Random(seed);
    cluster = new FakeApiServer(folder);
    cluster.script(
        request -> scripts.stream().flatMap(script -> script.answer(request).stream()).findFirst());
    cluster.create("namespaces", "", Manifests.namespace("team-a"));
    GPUS.forEach((name, gpus) -> {
      ObjectNode node = Manifests.node(name, gpus);
      node.withObject("/metadata/labels")
          .put("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB")
          .put("nvidia.com/gpu.count", String.valueOf(gpus));
      cluster.create("nodes", "", node);
    });
    members.add(new Member("one", folder));
    members.add(new Member("two", folder));
    reservations =
        new ChaosReservations(members.stream().map(member -> member.reservations).toList());
    members.forEach(member -> member.gate.start());
  }

  /** Answers a share of all requests with one of these codes. */
  void failing(double share, int... codes) {
    scripts.add(request ->
        isLease(request) || isSpared(share)
            ? Optional.empty()
            : Optional.of(
                Scripted.of(
                    codes[ThreadLocalRandom.current().nextInt(codes.length)],
                    "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"chaos\"}")));
  }

  /** Answers what the Lease needs with a conflict, so that its holder loses it. */
  void refusingTheLease() {
    scripts.add(request ->
        isLease(request) && isWrite(request)
            ? Optional.of(Scripted.of(409, "{\"kind\":\"Status\",\"message\":\"chaos\"}"))
            : Optional.empty());
  }

  /** A share of all writes arrives twice, and only the second one is answered. */
  void repeating(double share) {
    scripts.add(request ->
        isWrite(request) && !isSpared(share) ? Optional.of(Scripted.REPEATED) : Optional.empty());
  }

  /** A share of all writes arrives after later ones, some of them when nobody waits any longer. */
  void reordering(double share) {
    scripts.add(request -> {
      if (isWrite(request) && !isSpared(share)) {
        try {
          Thread.sleep(ThreadLocalRandom.current().nextInt((int) (2 * PATIENCE.toMillis())));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      return Optional.empty();
    });
  }

  private static boolean isSpared(double share) {
    return ThreadLocalRandom.current().nextDouble() >= share;
  }

  private static boolean isWrite(Request request) {
    return !request.method().equals("GET");
  }

  private static boolean isLease(Request request) {
    return request.path().contains("/leases");
  }

  void whole() {
    scripts.clear();
  }

  /** A pod is created, or one that runs ends; and nothing is held beyond what there is. */
  void step() {
    List<ObjectNode> pods = pods();
    List<ObjectNode> running = pods.stream().filter(ChaosWorld::isGranted).toList();
    if (pods.size() < MAX_PODS && (running.isEmpty() || random.nextBoolean())) {
      cluster.create("pods", "team-a", Manifests.gatedPod("pod-" + created++));
    } else if (!running.isEmpty()) {
      remove(running.get(random.nextInt(running.size())));
    }
    reservations.step(random);
    verify();
    for (Member member : members) {
      assertThat(member.process.lastWords())
          .as("a replica has ended: %s", member.process.heard())
          .isEmpty();
    }
  }

  /** The watchdogs look, and metrics are read, as every second. */
  void second() {
    for (Member member : members) {
      member.process.pass(Duration.ofSeconds(1));
      member.gate.readingsRefreshed();
    }
  }

  private Optional<Reservations> leading() {
    return members.stream().filter(Member::leads).map(member -> member.reservations).findFirst();
  }

  private void remove(ObjectNode pod) {
    granted++;
    String name = pod.at("/metadata/name").asText();
    reservations.removing(name, () -> cluster.delete("pods", "team-a", name));
  }

  /** Pods that were granted a GPU and have ended. */
  int granted() {
    return granted;
  }

  static boolean isGranted(ObjectNode pod) {
    return pod.at("/spec/schedulingGates").isEmpty();
  }

  private static WorkloadPredictor.Outcome unknown(
      Workload workload, Set<DeviceId> devices, Coverage level) {
    return new WorkloadPredictor.Outcome.UnknownModel(workload.model());
  }

  private List<ObjectNode> pods() {
    return reservations.look(() -> cluster.list("pods"));
  }

  /** Begins a history of what is granted. */
  void beginHistory() {
    reservations.begin();
    pods();
  }

  /** One order explains what everybody was answered, and which pods were granted what. */
  void verifyHistory() {
    pods();
    List<String> gpus =
        GPUS.entrySet().stream()
            .flatMap(
                node -> IntStream.range(0, node.getValue()).mapToObj(i -> node.getKey() + "#" + i))
            .toList();
    assertThat(Linearizability.explains(reservations.entries(), gpus))
        .as("an order of %s", reservations.entries())
        .isTrue();
  }

  /**
   * No GPU has two pods, and no node more pods and stored reservations than GPUs, at any moment.
   * Which GPU of its node a reservation gets is up to the kubelet, whatever was named.
   */
  void verify() {
    List<ObjectNode> granted = pods().stream().filter(ChaosWorld::isGranted).toList();
    assertThat(granted.stream().map(pod -> assigned(pod, "gpu")))
        .as("GPUs of pods")
        .doesNotHaveDuplicates()
        .doesNotContain("");
    List<String> holders = new ArrayList<>(reservations.mayExpire() ? List.of() : reserved());
    granted.forEach(pod -> holders.add(assigned(pod, "node")));
    GPUS.forEach((node, gpus) ->
        assertThat(holders.stream().filter(node::equals))
            .as("GPUs of %s amid %s: %s, %s", node, faults, reservations.told(), granted)
            .hasSizeLessThanOrEqualTo(gpus));
  }

  /** Read after the pods: only this test ends pods, so that each of these still has its GPU. */
  private List<String> reserved() {
    List<String> nodes = new ArrayList<>();
    for (ObjectNode map : cluster.list("configmaps")) {
      if (map.at("/metadata/name").asText().startsWith(LEASE.name() + "-reservations-")) {
        Json.texts(map.path("data")).values().stream()
            .map(Json::parse)
            .filter(one -> Instant.parse(one.path("expires_at").asText()).isAfter(Instant.now()))
            .forEach(
                one -> one.path("grants").forEach(grant -> nodes.add(grant.path("node").asText())));
      }
    }
    return nodes;
  }

  static String assigned(ObjectNode pod, String what) {
    return pod.at("/metadata/annotations/cotenant.dev~1assigned-" + what).asText();
  }

  /** Whether every pod has what it waits for, once only as many as fit are left. */
  boolean isServed() {
    List<ObjectNode> pods = pods();
    int most = GPUS.values().stream().mapToInt(Integer::intValue).sum();
    pods.stream()
        .filter(ChaosWorld::isGranted)
        .limit(Math.max(0, pods.size() - most))
        .forEach(this::remove);
    verify();
    return reservations.isSettled(leading())
        && pods.size() <= most
        && pods.stream().allMatch(ChaosWorld::isGranted);
  }

  @Override
  public void close() throws IOException {
    reservations.close();
    for (Member member : members) {
      member.gate.stop();
      member.server.close();
      member.network.close();
      member.process.supervisor.close();
    }
    cluster.close();
  }
}
