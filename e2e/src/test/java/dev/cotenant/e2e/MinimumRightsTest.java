package dev.cotenant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.access.Permission;
import dev.cotenant.admission.access.TokenAuthenticator.Presented;
import dev.cotenant.admission.access.User;
import dev.cotenant.admission.cluster.ClusterChange;
import dev.cotenant.admission.cluster.ClusterWriter;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.GateFeed;
import dev.cotenant.admission.kubernetes.Bench;
import dev.cotenant.admission.kubernetes.access.SubjectAccessReviews;
import dev.cotenant.admission.kubernetes.access.TokenReviews;
import dev.cotenant.admission.kubernetes.leader.LeaderLabel;
import dev.cotenant.admission.kubernetes.leader.Leadership;
import dev.cotenant.admission.kubernetes.read.PodLookup;
import dev.cotenant.admission.kubernetes.state.ConfigMapState;
import dev.cotenant.admission.kubernetes.state.ConfigMaps;
import dev.cotenant.admission.kubernetes.state.StateSource;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Request;
import dev.cotenant.admission.kubernetes.testing.FakeApiServer.Scripted;
import dev.cotenant.admission.kubernetes.testing.Manifests;
import dev.cotenant.admission.kubernetes.testing.TestTokens;
import dev.cotenant.admission.kubernetes.watch.ClusterWatch;
import dev.cotenant.admission.kubernetes.watch.OptedInNamespaces;
import dev.cotenant.admission.kubernetes.write.FabricWriter;
import dev.cotenant.admission.policy.ClaimSharing;
import dev.cotenant.admission.review.JsonPatch;
import dev.cotenant.admission.state.NotClaimedException;
import dev.cotenant.admission.state.PersistedState;
import dev.cotenant.e2e.Rights.Right;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The rights that the chart gives the service for its features are enough for what these features
 * ask of an API server, and none can be left out: without any one of them something is forbidden.
 */
class MinimumRightsTest {
  private static final Names NAMES =
      new Names("cotenant", "cotenant-system", "team-a", "team-outside", "node-");

  private static final Scripted FORBIDDEN =
      Scripted.of(403, "{\"kind\": \"Status\", \"code\": 403, \"message\": \"forbidden\"}");

  /** What is no object of the fake API server: reviews and parts of pods. */
  private static final Scripted CREATED = Scripted.of(201, "{\"status\": {\"allowed\": true}}");

  /** One that the chart need not look up in a cluster. */
  private static final String CERTIFICATE = "certs: {existingSecret: tls, caBundle: bm9uZQ==}";

  @TempDir static Path folder;

  /** What features do. */
  enum Deed {
    WATCH,
    LEAD,
    KEEP_STATE,
    LEAD_THE_WAY,
    UNGATE,
    SAY_WHY,
    AUTHENTICATE,
    AUTHORIZE,
    DELETE,
    BIND,
    EVICT,
    CLAIM
  }

  private static final Set<Deed> CALLERS = EnumSet.of(Deed.AUTHENTICATE, Deed.AUTHORIZE);
  private static final Set<Deed> GATE = EnumSet.range(Deed.WATCH, Deed.SAY_WHY);

  /** Rights without which something was forbidden: that of other values' rights is the same. */
  private static final Set<Right> NEEDED = ConcurrentHashMap.newKeySet();

  /** Values of the chart, and what their features do. */
  record Features(String values, Set<Deed> deeds) {
    static Features of(String values, Deed... more) {
      Set<Deed> all = EnumSet.copyOf(GATE);
      all.addAll(CALLERS);
      all.addAll(List.of(more));
      return new Features(values, all);
    }
  }

  private static List<Features> features() {
    return List.of(
        Features.of(""),
        new Features("rbac: {tokenReviews: false}", GATE),
        new Features("policy: {mode: fill}\nkubernetes: {gate: false}", CALLERS),
        Features.of("rbac: {deletePods: true}", Deed.DELETE),
        Features.of("policy: {schedulerName: mine}", Deed.BIND),
        Features.of("policy: {preemption: evict}", Deed.EVICT),
        Features.of("policy: {guard: act}", Deed.EVICT),
        Features.of("policy: {gpuAssignment: dra}", Deed.CLAIM),
        Features.of(
            """
            rbac: {namespaces: [team-a], deletePods: true}
            policy: {preemption: evict}
            policies:
              a: {namespaces: [team-a], gpuAssignment: dra}
              b: {namespaces: [team-a], schedulerName: mine}
            """,
            Deed.DELETE,
            Deed.BIND,
            Deed.EVICT,
            Deed.CLAIM));
  }

  @ParameterizedTest
  @MethodSource("features")
  void noRightCanBeLeftOut(Features features) {
    Release release =
        new Release(
            Path.of(System.getProperty("cotenant.root")),
            NAMES,
            features.values() + "\n" + CERTIFICATE);
    Set<Right> rights = Rights.of(release, "cotenant");

    Map<Right, Deed> uses = new HashMap<>();
    for (Deed deed : features.deeds()) {
      try (World world = new World(rights)) {
        world.run(deed);
        assertThat(world.forbidden).as("what %s lacks of %s", deed, rights).isEmpty();
        rights.stream()
            .filter(right -> world.asked.stream().anyMatch(right::covers))
            .forEach(right -> uses.putIfAbsent(right, deed));
      }
    }
    assertThat(uses.keySet()).as("rights that features use").isEqualTo(rights);
    uses.forEach((right, deed) -> {
      if (NEEDED.add(right)) {
        Set<Right> fewer = new HashSet<>(rights);
        fewer.remove(right);
        try (World world = new World(fewer)) {
          world.run(deed);
          assertThat(world.forbidden).as("what %s lacks without %s", deed, right).isNotEmpty();
        }
      }
    });
  }

  /** An API server that authorizes, and what the service does with it. */
  private static final class World implements AutoCloseable {
    private final Bench bench = new Bench(folder);
    private final List<Right> asked = new CopyOnWriteArrayList<>();
    private final List<Right> forbidden = new CopyOnWriteArrayList<>();
    private final List<Runnable> ends = new ArrayList<>();

    World(Set<Right> rights) {
      bench.fake.create("namespaces", "", Manifests.namespace("team-a"));
      bench.fake.create("nodes", "", Manifests.node("n1", 2));
      bench.fake.create("pods", NAMES.system(), Manifests.plainPod("cotenant-a"));
      bench.fake.script(request -> answer(request, rights));
    }

    private Optional<Scripted> answer(Request request, Set<Right> rights) {
      Right needed = Rights.needed(request);
      asked.add(needed);
      if (rights.stream().noneMatch(right -> right.covers(needed))) {
        forbidden.add(needed);
        return Optional.of(FORBIDDEN);
      }
      return needed.resource().contains("review") || needed.resource().startsWith("pods/")
          ? Optional.of(CREATED)
          : Optional.empty();
    }

    private void run(Deed deed) {
      switch (deed) {
        case WATCH -> watch();
        case LEAD -> lead();
        case KEEP_STATE -> keepState();
        case LEAD_THE_WAY -> leadTheWay();
        case UNGATE -> write((writer, pod, done) -> writer.patch(pod, ungate(), done));
        case SAY_WHY -> sayWhy();
        case AUTHENTICATE ->
            new TokenReviews(bench.server, Set.of("cotenant"), InstantSource.system(), _ -> {})
                .authenticate(new Presented(TestTokens.of("anna"), "10.0.0.1"));
        case AUTHORIZE ->
            new SubjectAccessReviews(bench.server, InstantSource.system(), _ -> {})
                .decide(
                    new User("anna", "u", Set.of(), Map.of()),
                    new Permission("list", "decisions", "team-a"));
        case DELETE -> write((writer, pod, done) -> writer.delete(pod, done));
        case BIND -> write(this::bind);
        case EVICT -> write((writer, pod, done) -> writer.evict(pod, _ -> done.accept(DONE)));
        case CLAIM -> {
          claim("one");
          claim("two"); // which becomes an owner of the same claim
        }
      }
    }

    private void until(String what, BooleanSupplier done) {
      Eventually.holds(what, () -> !forbidden.isEmpty() || done.getAsBoolean());
    }

    private void watch() {
      ClusterWatch watch =
          new ClusterWatch(
              bench.loopContext(),
              new NoFeed(),
              new ClusterWatch.Beside(new OptedInNamespaces(), StateSource.NONE),
              bench.log::add);
      ends.add(watch::lost);
      watch.gained(1);
      until("all is watched", () -> watch.isSynced() && bench.fake.watches() == 7);
    }

    private void lead() {
      Leadership leadership =
          new Leadership(
              bench.loopContext(),
              new Leadership.Settings(
                  NAMES.system(),
                  "cotenant-leader",
                  "one",
                  Duration.ofSeconds(2),
                  Duration.ofMillis(1_200),
                  Duration.ofMillis(50)),
              new NoFollower(),
              bench.log::add,
              InstantSource.system());
      ends.add(leadership::close);
      leadership.start();
      until("the Lease is renewed", () -> requested("PUT", "/leases/"));
    }

    private boolean requested(String method, String path) {
      return bench.fake.requests().stream()
          .anyMatch(one -> one.method().equals(method) && one.path().contains(path));
    }

    /** Makes the documents in one term, and claims them in the next. */
    private void keepState() {
      for (long term = 1; term <= 2; term++) {
        ConfigMapState state =
            new ConfigMapState(
                new ConfigMaps(bench.server, NAMES.system(), () -> true, bench.log::add),
                "cotenant-leader",
                new PodLookup(bench.server),
                bench.log::add);
        try {
          state.claim(term);
        } catch (NotClaimedException e) {
          assertThat(forbidden).as(e.getMessage()).isNotEmpty();
        }
      }
    }

    private void leadTheWay() {
      LeaderLabel label =
          new LeaderLabel(
              bench.loopContext(),
              new LeaderLabel.Candidate(NAMES.system(), "cotenant-a", () -> true),
              bench.log::add);
      ends.add(label::close);
      label.gained(1);
      until("it is labelled", () -> requested("PATCH", "/pods/cotenant-a"));
    }

    private FabricWriter writer() {
      return new FabricWriter(bench.loopContext(), () -> true, "one", (_, _) -> {});
    }

    /** One write about a pod. */
    @FunctionalInterface
    private interface Write {
      void send(FabricWriter writer, WatchedPod pod, Consumer<ClusterWriter.WriteResult> done);
    }

    private void write(Write write) {
      write(write, bench.create(Manifests.gatedPod("train")));
    }

    private void write(Write write, WatchedPod pod) {
      CountDownLatch answered = new CountDownLatch(1);
      write.send(writer(), pod, _ -> answered.countDown());
      Eventually.holds("it is answered", () -> answered.getCount() == 0);
    }

    private static JsonPatch ungate() {
      return new JsonPatch(List.of(new JsonPatch.Remove("/spec/schedulingGates/0")));
    }

    private void sayWhy() {
      writer()
          .report(
              bench.create(Manifests.gatedPod("waits")),
              new ClusterWriter.PodEvent(ClusterWriter.PodEvent.Weight.NORMAL, "Held", "because"));
      until("it is said", () -> !bench.fake.list("events").isEmpty());
    }

    private void bind(
        FabricWriter writer, WatchedPod pod, Consumer<ClusterWriter.WriteResult> done) {
      writer.bind(new ClusterWriter.Binding(pod.pod(), pod.uid(), null, "n1", Map.of()), done);
    }

    private void claim(String pod) {
      var wanted =
          new ClusterWriter.DeviceClaim(
              "gpu.nvidia.com", "true", 1, new ClaimSharing.Unset(), null);
      write(
          (writer, owner, done) -> writer.claim(owner, "gpu", wanted, done),
          bench.create(Manifests.gatedPod(pod)));
    }

    @Override
    public void close() {
      ends.forEach(Runnable::run);
      bench.close();
    }
  }

  private static final ClusterWriter.WriteResult DONE = new ClusterWriter.WriteResult.Done();

  /** Nobody is told. */
  private static final class NoFollower implements Leadership.Follower {
    @Override
    public void gained(long term) {}

    @Override
    public void lost() {}
  }

  /** Nobody is told. */
  private static final class NoFeed implements GateFeed {
    @Override
    public void begin(long term, Listed listed, PersistedState persisted) {}

    @Override
    public void end(long term) {}

    @Override
    public void podSeen(long term, WatchedPod pod) {}

    @Override
    public void podGone(long term, String uid) {}

    @Override
    public void nodeSeen(long term, WatchedNode node) {}

    @Override
    public void nodeGone(long term, String name) {}

    @Override
    public void changed(long term, ClusterChange change) {}

    @Override
    public void readingsRefreshed() {}

    @Override
    public void policiesChanged() {}
  }
}
