package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.FakePredictor;
import dev.cotenant.admission.gate.WatchedPod.Phase;
import dev.cotenant.admission.kept.FakeDocuments;
import dev.cotenant.admission.kept.FakeDocuments.Fate;
import dev.cotenant.admission.kept.NotClaimedException;
import dev.cotenant.admission.ledger.Claim;
import dev.cotenant.admission.ledger.Occupant;
import dev.cotenant.admission.ledger.Overlay;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.reservation.Reservations;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.interference.InterferenceEnsemble;
import dev.cotenant.placement.SharingDecider;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One run: a cluster, two replicas, and whatever happens by its seed. */
final class Interleaving {
  private static final SharingDecider DECIDER = new SharingDecider(InterferenceEnsemble.builtIn());
  private static final List<String> MODELS =
      List.of("resnet50", "vgg19", "densenet121", "unheard-of");
  private static final GateSettings SETTINGS =
      new GateSettings(
          Duration.ofSeconds(60),
          Duration.ofMinutes(5),
          Duration.ofSeconds(20),
          Duration.ofSeconds(1),
          Duration.ofSeconds(8),
          3,
          Duration.ofMinutes(2));

  private final Random random;
  private final FakeApiServer server = new FakeApiServer();
  private final FakeGpus gpus;
  private final Policy policy;
  private final Grants verifier;
  private final List<Replica> replicas = new ArrayList<>();
  private final Set<String> blind = new HashSet<>();
  private final FakeDocuments documents = new FakeDocuments();
  private final Map<Replica, Desk> desks = new HashMap<>();
  private boolean calm;
  private Instant now = Instant.parse("2026-11-21T12:00:00Z");
  private ClusterSnapshot readings;
  private @Nullable Replica leader;
  private long term;
  private int created;
  private int tokens;

  /** What callers were told. */
  final Acknowledged acknowledged = new Acknowledged(server);

  /** Pods that were granted room. */
  int grants;

  /** Waiting pods of which it was checked that there was no room for them. */
  int refusals;

  /** Terms that began. */
  int terms;

  Interleaving(int seed) {
    random = new Random(seed);
    Map<String, List<String>> nodes = new TreeMap<>();
    nodes.put("n1", List.of("GPU-a"));
    nodes.put("n2", List.of("GPU-b"));
    nodes.put("n3", List.of("GPU-c", "GPU-d"));
    gpus = new FakeGpus(nodes);
    policy = policy();
    verifier =
        new Grants(
            policy.targeting() == Policy.Targeting.NODE_ONLY ? Set.of("GPU-c", "GPU-d") : Set.of(),
            SharingLimits.DEFAULT);
    readings = gpus.measure(now, server.pods.values(), blind);
    server.letGo = this::letGo;
    for (int i = 0; i < 2; i++) {
      Replica replica = new Replica(ports(), SETTINGS, server, () -> now);
      replicas.add(replica);
      desks.put(replica, desk(replica));
      server.changes.add(pod -> replica.news.add(c -> c.podSeen(replica.term, pod)));
      server.removals.add(uid -> replica.news.add(c -> c.podGone(replica.term, uid)));
    }
  }

  private Desk desk(Replica replica) {
    Desk.Seen seen =
        new Desk.Seen(
            documents.seenWith(() -> {
              if (!calm && replica == leader && random.nextInt(12) == 0) {
                lead(random.nextBoolean()); // while it writes
              }
              return fate();
            }),
            documents.seenWith(this::fate));
    return new Desk(
        replica,
        seen,
        new Desk.Shared(server, ports(), Policies.of(policy), () -> "token-" + ++tokens));
  }

  private Fate fate() {
    return Fate.of(calm ? 0 : random.nextInt(20));
  }

  private Policy policy() {
    Policy.Fallback fallback = pick(List.of(Policy.Fallback.values()));
    Policy.Queue queue =
        new Policy.Queue(
            pick(List.of(Policy.Ordering.values())),
            Duration.ofSeconds(20),
            random.nextInt(4),
            Duration.ofSeconds(90),
            fallback);
    return new Policy(
        Policy.STANDARD,
        Policy.Mode.ENFORCE,
        Policy.DEFAULT.limits(),
        queue,
        pick(List.of(Policy.StaleMetrics.values())),
        Policy.UnknownModels.EXCLUSIVE,
        pick(List.of(Policy.Targeting.NODE_ONLY, Policy.Targeting.HAMI)),
        pick(List.of(Policy.OutOfMemory.values())));
  }

  private GatePorts ports() {
    return new GatePorts(
        () -> readings,
        new FakePredictor(),
        DECIDER,
        new Replica.Nowhere(),
        () -> Policies.of(policy),
        _ -> true,
        _ -> DeviceCatalogue.builtIn().find("a100-40gb"),
        (_, _, _) -> {},
        GateListener.NONE,
        () -> now);
  }

  private Replica leader() {
    return Objects.requireNonNull(leader, "nobody leads");
  }

  private void letGo(StoredPod pod) {
    if (Grants.isGranted(pod)) {
      grants++;
      verifyIsEnough(pod);
    }
    verify();
  }

  /** What it got is what it asks for itself, whatever was reserved for it. */
  private static void verifyIsEnough(StoredPod pod) {
    Colocatable asked = (Colocatable) pod.request;
    assertThat(pod.annotation(CotenantAnnotations.ASSIGNED_GPU).split(",", -1))
        .as("GPUs of %s", pod.identity)
        .hasSize(asked.gpu().gpus());
    String only = pod.requirements.labels().get("kubernetes.io/hostname");
    if (only != null) {
      assertThat(pod.annotation(CotenantAnnotations.ASSIGNED_NODE)).isEqualTo(only);
    }
    DeviceId a100 = new DeviceId("a100-40gb");
    if (!Grants.isWhole(pod)
        && new FakePredictor().predict(GrantReader.workload(asked).orElseThrow(), Set.of(a100))
            instanceof WorkloadPredictor.Outcome.Predicted predicted) {
      assertThat(Double.parseDouble(pod.annotation(CotenantAnnotations.PREDICTED_UTILIZATION)))
          .as("utilization of %s", pod.identity)
          .isGreaterThanOrEqualTo(
              Objects.requireNonNull(predicted.byDevice().get(a100)).utilization().upper().percent()
                  - 1e-6);
    }
  }

  private void verify() {
    verifier.verify(
        server.pods.values(),
        acknowledged.live(now).stream().map(told -> told.reservation().grant()).toList());
  }

  void run() {
    int steps = 120 + random.nextInt(200);
    for (int i = 0; i < steps; i++) {
      step();
    }
    settle();
    drain();
  }

  private void step() {
    switch (random.nextInt(38)) {
      case 0, 1, 2, 16 -> create();
      case 3 -> schedule();
      case 4 -> start();
      case 5 -> finish();
      case 6 -> delete();
      case 7 -> remove();
      case 8 -> touch();
      case 9 -> lead(random.nextInt(4) > 0);
      case 20, 21, 27, 28, 29, 30, 31, 32 -> reserve();
      case 22, 33 -> confirm();
      case 23, 34, 36, 37 -> giveBack();
      case 35 -> bindElsewhere();
      case 24 -> learn();
      case 25 -> documents.arrive();
      case 26 -> replicas.forEach(replica -> Objects.requireNonNull(desks.get(replica)).tidy());
      case 10 -> measure();
      case 11 -> now = now.plusMillis(random.nextInt(15_000));
      case 12, 13 -> replicas.forEach(replica -> replica.fly(random));
      case 14, 15 -> replicas.forEach(this::answer);
      default -> {
        hear();
        pass();
      }
    }
    replicas.forEach(replica -> replica.giveUpBefore(now.minus(SETTINGS.fence())));
  }

  private void create() {
    if (server.pods.size() > 16) {
      return;
    }
    int n = created++;
    String model = pick(MODELS);
    PodIdentity name = new PodIdentity("team-" + random.nextInt(2), "pod-" + n, null);
    int wanted = random.nextInt(8) == 0 ? 2 : 1;
    StoredPod pod =
        new StoredPod(
            "uid-" + n,
            new Colocatable(
                name,
                new GpuRequest(GpuDialect.NVIDIA, "main", wanted, null, null),
                new WorkloadAnnotations(
                    model,
                    1 + random.nextInt(64),
                    ExecutionMode.TRAINING,
                    null,
                    null,
                    null,
                    null,
                    List.of()),
                new NodeConstraints(null, List.of())),
            now);
    pod.annotations.put(CotenantAnnotations.TOKEN, "token-" + n);
    pod.priority = random.nextInt(3) * 50;
    if (random.nextInt(6) == 0) {
      pod.gates.add("example.com/other");
    }
    pod.gates.add(WatchedPod.GATE);
    if (wanted == 1 && random.nextInt(5) == 0) {
      pod.requirements =
          new NodeRequirements(Map.of("kubernetes.io/hostname", "n1"), List.of(), List.of());
    }
    server.create(pod);
  }

  private void schedule() {
    change(
        pod -> pod.gates.isEmpty() && pod.node == null && !pod.terminating,
        pod ->
            pod.node =
                pod.nodeSelector.getOrDefault(
                    "kubernetes.io/hostname",
                    pod.requirements.labels().getOrDefault("kubernetes.io/hostname", "n3")));
  }

  private void start() {
    change(
        pod ->
            pod.node != null
                && pod.startedAt == null
                && pod.isLive()
                && !acknowledged.isTakenBy(pod),
        pod -> {
          pod.startedAt = now;
          pod.phase = Phase.RUNNING;
        });
  }

  private void finish() {
    change(
        pod -> pod.startedAt != null && pod.isLive(),
        pod -> pod.phase = random.nextBoolean() ? Phase.SUCCEEDED : Phase.FAILED);
  }

  private void delete() {
    StoredPod pod = any(p -> !p.terminating);
    if (pod != null && (pod.node == null || !pod.isLive())) {
      server.remove(pod);
    } else if (pod != null) {
      pod.terminating = true;
      server.changed(pod);
    }
  }

  private void remove() {
    StoredPod pod = any(p -> p.terminating);
    if (pod != null) {
      server.remove(pod);
    }
  }

  /** Somebody else writes something, or removes another gate. */
  private void touch() {
    change(
        pod -> true,
        pod -> {
          if (!pod.gates.remove("example.com/other")) {
            pod.annotations.put("cotenant.dev/note", "n" + random.nextInt());
          }
        });
  }

  /** The Lease is lost, which its holder may not know yet, and somebody else may take it. */
  private void lead(boolean taken) {
    Replica before = leader;
    leader = null;
    if (before != null) {
      before.mayWrite = false;
    }
    if (taken) {
      List<Replica> others = replicas.stream().filter(other -> other != before).toList();
      begin(pick(others));
    }
  }

  /** Whoever leads no longer gets to know that. */
  private void learn() {
    for (Replica replica : replicas) {
      if (replica != leader && replica.term != 0) {
        replica.controller.end(replica.term);
        Objects.requireNonNull(desks.get(replica)).close();
        replica.news.clear();
        replica.term = 0;
      }
    }
    if (leader == null) {
      begin(pick(replicas));
    }
  }

  private void begin(Replica replica) {
    if (replica.term != 0) {
      replica.controller.end(replica.term);
    }
    replica.term = 0;
    long next = ++term;
    boolean listsFirst = random.nextBoolean();
    List<WatchedPod> early = server.list();
    try {
      Kept kept = Objects.requireNonNull(desks.get(replica)).claim(next);
      leader = replica;
      replica.term = next;
      replica.mayWrite = true;
      terms++;
      replica.news.clear();
      List<WatchedPod> listed = listsFirst ? early : server.list();
      replica.controller.begin(next, listed, gpus.nodes(), kept);
    } catch (NotClaimedException _) {
      // Nobody leads until somebody tries again.
    }
  }

  private void reserve() {
    Policy.Targeting targeting = policy.targeting();
    int n = created++;
    Colocatable wanted =
        new Colocatable(
            new PodIdentity("team-" + random.nextInt(2), "made-" + n, null),
            new GpuRequest(GpuDialect.NVIDIA, "main", 1, null, null),
            new WorkloadAnnotations(
                pick(MODELS), 1, ExecutionMode.TRAINING, null, null, null, null, List.of()),
            new NodeConstraints(
                pick(
                    targeting == Policy.Targeting.HAMI
                        ? List.of("n1", "n2", "n3")
                        : List.of("n1", "n2")),
                List.of()));
    acknowledged.reserve(anybody(), wanted);
    verify();
  }

  /** Callers ask whoever answers, the one who leads no longer as well. */
  private Reservations anybody() {
    Replica known = leader;
    Replica asked = known == null || random.nextInt(4) == 0 ? pick(replicas) : known;
    return Objects.requireNonNull(desks.get(asked)).reservations;
  }

  private void confirm() {
    var unbound = acknowledged.unbound(now);
    if (unbound.isEmpty()) {
      return;
    }
    Acknowledged.Told told = pick(unbound);
    switch (random.nextInt(7)) {
      case 0, 1, 2 -> acknowledged.confirm(anybody(), told, now);
      case 3, 4, 5 -> confirmHeld(told);
      default -> confirmElsewhere(told);
    }
    verify();
  }

  /** A pod takes it that is held, and may ask for something else. */
  private void confirmHeld(Acknowledged.Told told) {
    Colocatable reserved = told.asked();
    int wanted = random.nextInt(4) == 0 ? 2 : 1;
    int batch = random.nextBoolean() ? 1 : 1 + random.nextInt(64);
    String model = random.nextBoolean() ? reserved.workload().model() : pick(MODELS);
    StoredPod pod =
        taker(
            told,
            new Colocatable(
                reserved.pod(),
                new GpuRequest(GpuDialect.NVIDIA, "main", wanted, null, null),
                new WorkloadAnnotations(
                    model, batch, ExecutionMode.TRAINING, null, null, null, null, List.of()),
                new NodeConstraints(null, List.of())));
    if (random.nextBoolean()) {
      pod.gates.add("example.com/other");
    }
    pod.gates.add(WatchedPod.GATE);
    if (wanted == 1 && random.nextInt(4) == 0) {
      pod.requirements =
          new NodeRequirements(Map.of("kubernetes.io/hostname", "n1"), List.of(), List.of());
    }
    server.create(pod);
    acknowledged.confirmAmiss(anybody(), told, pod);
  }

  /** A pod takes it that is, or will be, on another node. */
  private void confirmElsewhere(Acknowledged.Told told) {
    String reserved = told.reservation().granted().grants().getFirst().node();
    StoredPod pod = taker(told, told.asked());
    pod.node = reserved.equals("n1") ? "n2" : "n1";
    server.create(pod);
    acknowledged.confirmAmiss(anybody(), told, pod);
  }

  private StoredPod taker(Acknowledged.Told told, Colocatable asked) {
    StoredPod pod = new StoredPod("uid-of-" + told.reservation().id(), asked, now);
    pod.annotations.put(CotenantAnnotations.TOKEN, told.reservation().id());
    return pod;
  }

  /** Room is held for a pod on one node, and its scheduler binds it to another. */
  private void bindElsewhere() {
    Replica known = leader;
    if (known == null || server.pods.size() > 8) {
      return;
    }
    int n = created++;
    Colocatable asked =
        new Colocatable(
            new PodIdentity("team-0", "astray-" + n, null),
            new GpuRequest(GpuDialect.NVIDIA, "main", 1, null, null),
            new WorkloadAnnotations(
                "resnet50", 1, ExecutionMode.TRAINING, null, null, null, null, List.of()),
            new NodeConstraints("n2", List.of()));
    StoredPod pod = new StoredPod("uid-" + n, asked, now);
    pod.annotations.put(CotenantAnnotations.TOKEN, "token-" + n);
    var because = new PlacementRequest.ExclusiveCause.SeveralGpus();
    PlacementRequest whole = new PlacementRequest.Whole("w", 1, because, Map.of());
    known.controller.hold(
        new Claim(Claim.tokenOf(pod.uid), asked),
        cluster -> DECIDER.decide(cluster, whole, gpu -> gpu.node().equals("n2")));
    pod.node = "n1";
    server.create(pod);
  }

  private void giveBack() {
    Replica known = leader;
    var unbound = acknowledged.unbound(now);
    int which = random.nextInt(4);
    if (which == 0 && !unbound.isEmpty()) {
      acknowledged.release(anybody(), pick(unbound));
    } else if (which == 1) {
      acknowledged.releaseTaken(anybody(), random);
    } else if (known != null) {
      acknowledged.verifyKnownTo(Objects.requireNonNull(desks.get(known)).reservations, now);
    }
  }

  private void measure() {
    blind.clear();
    if (random.nextInt(4) == 0) {
      blind.add(pick(List.of("GPU-a", "GPU-b", "GPU-c", "GPU-d")));
    }
    readings = gpus.measure(now, server.pods.values(), blind);
    replicas.forEach(replica -> replica.controller.readingsRefreshed());
  }

  private void answer(Replica replica) {
    if (!replica.answers.isEmpty()) {
      replica.answers.remove(random.nextInt(replica.answers.size())).run();
    }
  }

  /** Some news arrive, not always in their order, some twice. */
  private void hear() {
    List<Replica> watching = replicas.stream().filter(one -> one.term != 0).toList();
    if (watching.isEmpty()) {
      return;
    }
    Replica told = pick(watching);
    int count = random.nextInt(1 + told.news.size());
    for (int i = 0; i < count; i++) {
      boolean inOrder = random.nextInt(3) > 0;
      int place = inOrder ? 0 : random.nextInt(Math.min(5, told.news.size()));
      var news = told.news.get(place);
      if (random.nextInt(10) > 0) {
        told.news.remove(place);
      }
      news.accept(told.controller);
    }
  }

  private void pass() {
    for (Replica replica : replicas) {
      replica.runInbox();
      replica.controller.pass();
    }
  }

  /** Whoever is ahead of a pod waits as well, and was passed as often as the policy allows. */
  private void verifyQueued(GateView.Waiting waiting, GateView view) {
    for (Reason reason : reasons(waiting.decision())) {
      if (reason instanceof Reason.QueuedBehind(String ahead, int skips)) {
        assertThat(skips).isGreaterThanOrEqualTo(policy.queue().maxSkips());
        assertThat(view.queue().stream().limit(waiting.rank() - 1L))
            .extracting(other -> other.pod().pod().toString())
            .contains(ahead);
      }
    }
  }

  private static List<Reason> reasons(@Nullable Decision decision) {
    return switch (decision) {
      case null -> List.of();
      case Decision.Admitted _ -> List.of();
      case Decision.Held(List<Reason> reasons) -> reasons;
      case Decision.Denied(List<Reason> reasons) -> reasons;
    };
  }

  /** Everything arrives, in time: whoever waits now has a reason that is true. */
  private void settle() {
    calm = true;
    learn();
    documents.arrive();
    server.pods.values().forEach(pod -> pod.gates.remove("example.com/other"));
    List.copyOf(server.pods.values()).forEach(server::changed);
    blind.clear();
    for (int i = 0; i < 60; i++) {
      quietly();
    }
    GateView view = leader().controller.view();
    assertThat(view.isReady()).as("ready").isTrue();
    for (StoredPod pod : server.pods.values()) {
      if (pod.gates.contains(WatchedPod.GATE) && !pod.terminating) {
        GateView.Waiting waiting = view.waiting(pod.identity).orElseThrow();
        assertThat(reasons(waiting.decision())).as("reasons of %s", pod.identity).isNotEmpty();
        verifyQueued(waiting, view);
        verifyHeld(waiting);
      }
    }
    Set<PodIdentity> unsure = new HashSet<>();
    server.pods.values().stream()
        .filter(acknowledged::isUnsure)
        .forEach(pod -> unsure.add(pod.identity));
    assertThat(view.granted().keySet().stream().filter(pod -> !unsure.contains(pod)))
        .as("who holds room")
        .containsExactlyInAnyOrderElementsOf(
            server.pods.values().stream()
                .filter(pod -> pod.isLive() && !pod.gates.contains(WatchedPod.GATE))
                .filter(pod -> Grants.isGranted(pod) || acknowledged.isTakenBy(pod))
                .map(pod -> pod.identity)
                .filter(pod -> !unsure.contains(pod))
                .toList());
    verifyStrangers(view);
    acknowledged.verifyKnownTo(Objects.requireNonNull(desks.get(leader())).reservations, now);
  }

  /** Whoever was granted nothing where it runs counts there. */
  private void verifyStrangers(GateView view) {
    for (StoredPod pod : server.pods.values()) {
      if (isStranger(pod)) {
        assertThat(view.cluster().gpus().stream().filter(gpu -> gpu.node().equals(pod.node)))
            .as("GPUs of the node of %s", pod.identity)
            .anySatisfy(
                gpu -> assertThat(gpu.tenancy()).isNotEqualTo(new Tenancy.Shared(List.of())));
      }
    }
  }

  private boolean isStranger(StoredPod pod) {
    return pod.isLive()
        && pod.node != null
        && !Grants.isGranted(pod)
        && !acknowledged.isTakenBy(pod);
  }

  /** Where nothing but room is missing, there must be none in the cluster as it really is. */
  private void verifyHeld(GateView.Waiting waiting) {
    PlacementRequest request = Objects.requireNonNull(waiting.request());
    boolean kept =
        reasons(waiting.decision()).stream().anyMatch(Reason.QueuedBehind.class::isInstance);
    boolean byName = policy.targeting() == Policy.Targeting.HAMI;
    if (kept || (!byName && request instanceof PlacementRequest.Whole)) {
      return;
    }
    String only =
        waiting
            .pod()
            .scheduling()
            .requirements()
            .labels()
            .getOrDefault("kubernetes.io/hostname", "");
    Decision alone =
        DECIDER.decide(
            truth(),
            request,
            gpu ->
                (only.isEmpty() || gpu.node().equals(only))
                    && (byName || !gpu.node().equals("n3")));
    refusals++;
    assertThat(alone)
        .as("decision about %s, which waits", waiting.pod().pod())
        .isNotInstanceOf(Decision.Admitted.class);
  }

  /** The cluster by what is written on its pods. */
  private ClusterSnapshot truth() {
    Overlay overlay = new Overlay();
    for (StoredPod pod : server.pods.values()) {
      if (pod.isLive() && !pod.gates.contains(WatchedPod.GATE) && Grants.isGranted(pod)) {
        overlay.put(occupant(pod));
      } else if (isStranger(pod)) {
        List<String> there =
            readings.gpus().stream()
                .filter(gpu -> gpu.node().equals(pod.node))
                .map(GpuSnapshot::uuid)
                .toList();
        overlay.put(new Occupant(pod.uid, there, new Occupant.Alone(pod.identity.toString())));
      }
    }
    acknowledged.live(now).forEach(told -> overlay.put(told.reservation().grant().occupant()));
    return overlay.on(gpus.measure(now, server.pods.values(), Set.of()));
  }

  private static Occupant occupant(StoredPod pod) {
    List<String> uuids = List.of(pod.annotation(CotenantAnnotations.ASSIGNED_GPU).split(",", -1));
    if (Grants.isWhole(pod)) {
      return new Occupant(pod.uid, uuids, new Occupant.Alone(pod.identity.toString()));
    }
    Prediction bounds =
        FakePredictor.of(
            Double.parseDouble(pod.annotation(CotenantAnnotations.PREDICTED_UTILIZATION)) - 10,
            MemorySize.ofMiB(
                Long.parseLong(
                        pod.annotation(CotenantAnnotations.PREDICTED_MEMORY).replace("Mi", ""))
                    - 1024),
            new DeviceId("a100-40gb"));
    return new Occupant(
        pod.uid,
        uuids,
        new Occupant.Sharing(
            new Tenant(
                pod.identity.toString(),
                bounds.utilization(),
                bounds.peakMemory(),
                SharingLimits.DEFAULT.slowdown(),
                Objects.requireNonNullElse(pod.startedAt, Instant.MAX))));
  }

  /** Everybody finishes: everybody gets room at last, and all room is given back. */
  private void drain() {
    for (int i = 0; i < 400 && !server.pods.isEmpty(); i++) {
      for (StoredPod pod : List.copyOf(server.pods.values())) {
        if (pod.gates.isEmpty()) {
          server.remove(pod);
        }
      }
      quietly();
    }
    assertThat(
            server.pods.values().stream().map(pod -> pod.identity.toString() + " " + waiting(pod)))
        .as("forgotten")
        .isEmpty();
    for (int i = 0; i < 45; i++) {
      quietly(); // what nobody confirmed lapses
    }
    GateView view = leader().controller.view();
    assertThat(view.granted()).isEmpty();
    assertThat(view.queue()).isEmpty();
    assertThat(view.cluster().gpus())
        .allSatisfy(gpu -> assertThat(gpu.tenancy()).isEqualTo(new Tenancy.Shared(List.of())));
  }

  private String waiting(StoredPod pod) {
    return leader()
        .controller
        .view()
        .waiting(pod.identity)
        .map(w -> String.valueOf(reasons(w.decision()).stream().map(Reason::sentence).toList()))
        .orElse("not in the queue");
  }

  private void quietly() {
    now = now.plusSeconds(3);
    readings = gpus.measure(now, server.pods.values(), blind);
    for (Replica replica : replicas) {
      replica.controller.readingsRefreshed();
      replica.flyAll();
      List<Runnable> answers = List.copyOf(replica.answers);
      replica.answers.clear();
      answers.forEach(Runnable::run);
      replica.runInbox();
      var news = List.copyOf(replica.news);
      replica.news.clear();
      news.forEach(n -> n.accept(replica.controller));
      replica.controller.pass();
    }
  }

  private void change(Predicate<StoredPod> which, Consumer<StoredPod> what) {
    StoredPod pod = any(which);
    if (pod != null) {
      what.accept(pod);
      server.changed(pod);
    }
  }

  private @Nullable StoredPod any(Predicate<StoredPod> which) {
    List<StoredPod> all = server.pods.values().stream().filter(which).toList();
    return all.isEmpty() ? null : pick(all);
  }

  private <T> T pick(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }
}
