package dev.cotenant.admission.gate;

import dev.cotenant.admission.HungryModels;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.GateListener;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.port.MemoryCorrection;
import dev.cotenant.admission.inventory.GrantReader;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.TrustScope;
import dev.cotenant.admission.state.FakeDocuments;
import dev.cotenant.admission.state.FakeDocuments.Fate;
import dev.cotenant.admission.state.LeaderStateSaver;
import dev.cotenant.admission.state.NotClaimedException;
import dev.cotenant.admission.state.PersistedState;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.Workload;
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
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A cluster, two replicas of which one may lead, and all that goes on between them; whatever is
 * random is drawn here, in one order.
 */
final class World {
  static final HungryModels HUNGRY = new HungryModels();
  static final List<String> MODELS = List.of("resnet50", "vgg19", "densenet121", "unheard-of");
  static final GateSettings SETTINGS =
      new GateSettings(
          Duration.ofSeconds(15),
          Duration.ofMinutes(5),
          Duration.ofSeconds(20),
          Duration.ofSeconds(1),
          Duration.ofSeconds(8),
          3,
          Duration.ofSeconds(30),
          Duration.ofMinutes(2),
          Duration.ofSeconds(20));

  final Random random;
  final FakeApiServer server = new FakeApiServer();
  final FakeGpus gpus;
  final Policy policy;
  final List<Replica> replicas = new ArrayList<>();
  final FakeScheduler scheduler = new FakeScheduler(this);
  final Set<String> blind = new HashSet<>();
  final FakeDocuments documents = new FakeDocuments();

  /** Models of which a run was measured. */
  final Set<String> measured = new TreeSet<>();

  final Guarded guarded = new Guarded(this);

  /** What callers were told. */
  final Acknowledged acknowledged = new Acknowledged(server);

  /** Whether pods are servers of language models. */
  final boolean servers;

  /** Nothing goes wrong any more. */
  boolean calm;

  Instant now = Instant.parse("2026-11-21T12:00:00Z");
  ClusterSnapshot readings;
  @Nullable Replica leader;

  /** Terms that began. */
  int terms;

  final LearnedRisks risks;
  final SharingDecider decider;
  private final Map<Replica, Desk> desks = new HashMap<>();
  private long term;
  private int created;
  private int ids;

  World(int seed) {
    random = new Random(seed);
    servers = Servers.areIn(seed);
    risks = new LearnedRisks(now);
    decider = new SharingDecider(HUNGRY, risks);
    Map<String, List<String>> nodes = new TreeMap<>();
    nodes.put("n1", List.of("GPU-a"));
    nodes.put("n2", List.of("GPU-b"));
    nodes.put("n3", List.of("GPU-c", "GPU-d"));
    gpus = new FakeGpus(nodes);
    gpus.allocatable = NodeCpu.ALLOCATABLE;
    policy = policy(seed);
    readings = gpus.measure(now, server.pods.values(), blind);
    for (int i = 0; i < 2; i++) {
      Replica replica = new Replica(ports(), SETTINGS, server, () -> now);
      replicas.add(replica);
      desks.put(replica, open(replica));
      server.changes.add(pod -> replica.news.add(c -> c.podSeen(replica.term, pod)));
      server.removals.add(uid -> replica.news.add(c -> c.podGone(replica.term, uid)));
    }
  }

  private Desk open(Replica replica) {
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
        replica, seen, new Desk.Shared(server, ports(), Policies.of(policy), () -> "id-" + ++ids));
  }

  private Fate fate() {
    return Fate.of(calm ? 0 : random.nextInt(20));
  }

  private Policy policy(int seed) {
    boolean byScheduler = seed % 2 == 0;
    Policy.Fallback fallback = pick(List.of(Policy.Fallback.values()));
    Policy.Queue queue =
        new Policy.Queue(
            pick(List.of(Policy.Ordering.values())),
            Duration.ofSeconds(20),
            random.nextInt(4),
            Duration.ofSeconds(90),
            fallback);
    Policy drawn =
        Policy.DEFAULT
            .with(copy -> copy.queue = queue)
            .with(copy -> copy.staleMetrics = pick(List.of(Policy.StaleMetrics.values())))
            .with(copy ->
                copy.gpuAssignment =
                    pick(
                        List.of(
                            Policy.GpuAssignment.NODE_ONLY,
                            byScheduler
                                ? Policy.GpuAssignment.VISIBLE_DEVICES
                                : Policy.GpuAssignment.HAMI)))
            .with(copy -> copy.outOfMemory = pick(List.of(Policy.OutOfMemory.values())))
            .with(copy -> copy.preemption = List.of(Policy.Preemption.values()).get(seed / 2 % 3))
            .with(copy ->
                copy.limits =
                    DeviceLimits.of(SharingLimits.DEFAULT.withRisk(LearnedRisks.limit(seed))))
            .with(copy -> copy.measuring = Profiled.policy(seed))
            .with(copy ->
                copy.trust = seed / 6 % 2 == 0 ? TrustScope.NAMESPACE : new TrustScope("cluster"));
    return byScheduler ? drawn.with(copy -> copy.schedulerName = FakeScheduler.NAME) : drawn;
  }

  private WorkloadPredictor.Outcome predict(
      Workload workload, Set<DeviceId> devices, Coverage level) {
    WorkloadPredictor.Outcome outcome = HUNGRY.predict(workload, devices, level);
    return measured.contains(workload.model())
            && outcome instanceof WorkloadPredictor.Outcome.Predicted(var byDevice)
        ? new WorkloadPredictor.Outcome.Predicted(Profiled.measured(byDevice))
        : outcome;
  }

  private GatePorts ports() {
    return new GatePorts(
        () -> readings,
        this::predict,
        decider,
        new Replica.Nowhere(),
        LeaderStateSaver.NONE,
        () -> Policies.of(policy),
        _ -> true,
        _ -> DeviceCatalogue.builtIn().find("a100-40gb"),
        MemoryCorrection.NONE,
        GateListener.NONE,
        () -> now);
  }

  Replica leader() {
    return Objects.requireNonNull(leader, "nobody leads");
  }

  /** What of a replica answers callers. */
  Desk desk(Replica replica) {
    return Objects.requireNonNull(desks.get(replica));
  }

  /** Different with every call. */
  int next() {
    return created++;
  }

  /** The Lease is lost, which its holder may not know yet, and somebody else may take it. */
  void lead(boolean taken) {
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
  void learn() {
    for (Replica replica : replicas) {
      if (replica != leader && replica.term != 0) {
        replica.controller.end(replica.term);
        desk(replica).close();
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
      PersistedState kept = desk(replica).claim(next);
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

  void measure() {
    blind.clear();
    if (random.nextInt(4) == 0) {
      blind.add(pick(List.of("GPU-a", "GPU-b", "GPU-c", "GPU-d")));
    }
    readings = gpus.measure(now, server.pods.values(), blind);
    learnRuns();
    if (!calm) {
      risks.learn(now);
    }
    replicas.forEach(replica -> replica.controller.readingsRefreshed());
    tellWhoServes();
    guarded.measure();
  }

  /** Two of three models are measured once a run of theirs has been alone. */
  private void learnRuns() {
    for (StoredPod pod : server.pods.values()) {
      if (Profiled.isOver(pod, now) && pod.startedAt != null) {
        GrantReader.workload(pod.request)
            .map(Workload::model)
            .filter(model -> !model.equals("vgg19"))
            .ifPresent(measured::add);
      }
    }
  }

  private void tellWhoServes() {
    if (servers) {
      Map<String, Instant> serving = Servers.serving(server.pods.values(), now);
      replicas.forEach(replica -> replica.controller.serving(serving));
    }
  }

  void answer(Replica replica) {
    if (!replica.answers.isEmpty()) {
      replica.answers.remove(random.nextInt(replica.answers.size())).run();
    }
  }

  /** Some news arrive, not always in their order, some twice. */
  void hear() {
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

  void pass() {
    for (Replica replica : replicas) {
      replica.runInbox();
      replica.controller.runCycle();
    }
  }

  /** Three seconds in which all that is on its way arrives. */
  void quietly() {
    now = now.plusSeconds(3);
    readings = gpus.measure(now, server.pods.values(), blind);
    learnRuns();
    guarded.measure();
    tellWhoServes();
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
      replica.controller.runCycle();
    }
    scheduler.placeAll();
  }

  void change(Predicate<StoredPod> which, Consumer<StoredPod> what) {
    StoredPod pod = any(which);
    if (pod != null) {
      what.accept(pod);
      server.changed(pod);
    }
  }

  @Nullable StoredPod any(Predicate<StoredPod> which) {
    List<StoredPod> all = server.pods.values().stream().filter(which).toList();
    return all.isEmpty() ? null : pick(all);
  }

  <T> T pick(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }
}
