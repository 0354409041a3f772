package dev.cotenant.admission.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cotenant.admission.kubernetes.api.ApiServer;
import dev.cotenant.admission.kubernetes.leader.LeaderLabel;
import dev.cotenant.admission.kubernetes.leader.Leadership;
import dev.cotenant.admission.kubernetes.state.LeaderStateLoop;
import dev.cotenant.admission.kubernetes.state.StateSource;
import dev.cotenant.admission.kubernetes.testing.Eventually;
import dev.cotenant.admission.kubernetes.testing.Manifests;
import dev.cotenant.admission.kubernetes.watch.ClusterWatch;
import dev.cotenant.admission.kubernetes.watch.ListWatch;
import dev.cotenant.admission.kubernetes.watch.OptedInNamespaces;
import dev.cotenant.admission.kubernetes.watch.TermWatch;
import dev.cotenant.admission.state.LeaderState;
import dev.cotenant.admission.state.LeaderStateStore;
import dev.cotenant.admission.state.PersistedState;
import dev.cotenant.admission.supervision.FakeProcess.Fate;
import dev.cotenant.admission.supervision.FakeProcess.Outcome;
import dev.cotenant.admission.supervision.Fault;
import dev.cotenant.admission.supervision.LoopState;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every loop of this module fails in every way: it is healed or the process ends. */
class LoopFaultsTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @TempDir static Path folder;

  private final Bench bench = new Bench(folder, ApiServer.DEFAULT_TIMEOUT);
  private final RecordedFeed feed = new RecordedFeed();

  @BeforeEach
  void fill() {
    bench.fake.create("namespaces", "", Manifests.namespace("team-a"));
    bench.fake.create("nodes", "", Manifests.node("n1", 2));
    bench.fake.create("pods", "team-a", Manifests.gatedPod("held"));
  }

  @AfterEach
  void close() {
    bench.close();
  }

  /** Waits for the fault, then lets time pass; whether the loop works again. */
  private boolean isHealed(String loop, Fault fault) {
    return isHealed(loop, fault, Duration.ZERO);
  }

  /** A loop that hangs longer is stuck after its longest silence; a killed one is dead at once. */
  private boolean isHealed(String loop, Fault fault, Duration longestSilence) {
    Eventually.holds(
        "the fault has struck",
        () -> fault.hasStruck() && (fault.kind() == Fault.Kind.HANG || isDown(loop)));
    Outcome outcome =
        bench.process.heal(
            loop, fault.kind() == Fault.Kind.HANG ? longestSilence.plus(LIMIT) : LIMIT);
    assertThat(outcome.shownDown()).as("liveness says so meanwhile").isTrue();
    if (outcome.fate() == Fate.PROCESS_ENDED) {
      assertThat(bench.process.lastWords()).singleElement().asString().contains(loop);
    }
    return outcome.fate() == Fate.RESTARTED;
  }

  private boolean isDown(String loop) {
    return !bench.process.lastWords().isEmpty()
        || bench.process.supervisor.loops().stream()
            .anyMatch(
                one -> one.name().equals(loop) && one.condition() == LoopState.Condition.DEAD);
  }

  private ClusterWatch watch(StateSource persisted) {
    return new ClusterWatch(
        bench.loopContext(),
        feed,
        new ClusterWatch.Beside(new OptedInNamespaces(), persisted),
        bench.log::add);
  }

  /** Its watches may be silent for longer than a claim takes. */
  private ClusterWatch patient(StateSource persisted) {
    return new ClusterWatch(
        feed,
        new TermWatch.Sources(
            new ListWatch.Means(
                bench.server,
                new ListWatch.Timing(Duration.ofMillis(20), Duration.ofHours(2)),
                bench.process.supervisor),
            new ClusterWatch.Beside(new OptedInNamespaces(), persisted),
            TermWatch.Healths.of(bench.log::add)));
  }

  /** A watched kind, and an object that appears later. */
  enum Watched {
    PODS("pods", "team-a", Manifests.gpuPod("later")),
    NODES("nodes", "", Manifests.node("later", 4)),
    NAMESPACES("namespaces", "", Manifests.namespace("later")),
    VOLUMES(
        "persistentvolumes",
        "",
        later(
            """
            "spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
             {"key": "kubernetes.io/hostname", "operator": "In", "values": ["n1"]}]}]}}}
            """)),
    CLAIMS("persistentvolumeclaims", "team-a", later("\"spec\": {\"volumeName\": \"pv-1\"}")),
    DEVICE_CLAIMS(
        "resourceclaims",
        "team-a",
        later(
            """
            "status": {"allocation": {"devices": {"results": [
             {"request": "gpu", "driver": "gpu.nvidia.com", "pool": "n1", "device": "gpu-0"}]}}}
            """)),
    SLICES(
        "resourceslices",
        "",
        later(
            """
            "spec": {"driver": "gpu.nvidia.com", "nodeName": "n1", "pool": {"name": "n1"},
             "devices": [{"name": "gpu-0", "attributes": {"uuid": {"string": "GPU-a"}}}]}
            """));

    private final String kind;
    private final String namespace;
    private final String object;

    Watched(String kind, String namespace, ObjectNode object) {
      this.kind = kind;
      this.namespace = namespace;
      this.object = object.toString();
    }

    private static ObjectNode later(String rest) {
      return Manifests.json("{\"metadata\": {\"name\": \"later\"}, " + rest + "}");
    }
  }

  private static Stream<Arguments> watchesAndFaults() {
    return Stream.of(Watched.values())
        .flatMap(one -> Stream.of(Fault.Kind.values()).map(kind -> Arguments.of(one, kind)));
  }

  @ParameterizedTest
  @MethodSource("watchesAndFaults")
  void aWatch(Watched watched, Fault.Kind kind) {
    Fault fault = new Fault(kind);
    ClusterWatch watch = watch(StateSource.NONE);
    watch.gained(5);
    Eventually.holds("the term begins", watch::isSynced);
    Eventually.holds("all are watched", () -> bench.fake.watches() == Watched.values().length);
    feed.before = fault::strike;
    bench.fake.create(watched.kind, watched.namespace, Manifests.json(watched.object));

    assertThat(isHealed("watch-" + watched.kind, fault)).isEqualTo(!kind.isOfTheMachine());
    if (!kind.isOfTheMachine()) {
      Eventually.holds("nothing is lost", () -> isPassedOn(watched));
      bench.fake.create("pods", "team-a", Manifests.gpuPod("last"));
      Eventually.holds("the others go on", () -> feed.has("5 pod team-a/last"));
      assertThat(feed.lines()).as("nothing is told twice").doesNotHaveDuplicates();
      assertThat(feed.others()).as("nothing is told twice").doesNotHaveDuplicates();
    }
    watch.lost();
  }

  private boolean isPassedOn(Watched watched) {
    return switch (watched) {
      case PODS -> feed.has("5 pod team-a/later");
      case NODES -> feed.has("5 node later 4");
      case NAMESPACES -> feed.has("policies");
      case VOLUMES, CLAIMS, DEVICE_CLAIMS, SLICES -> feed.others().size() == 1;
    };
  }

  /** What a server does that accepts and then says nothing: only an interrupt ends the reading. */
  @Test
  void aWatchWhoseGuardDoesNotWorkIsOpenedAnew() {
    ClusterWatch watch = watch(StateSource.NONE);
    watch.gained(5);
    Eventually.holds("the term begins", watch::isSynced);
    Eventually.holds("all are watched", () -> bench.fake.watches() == Watched.values().length);

    assertThat(bench.process.heal("watch-pods", Duration.ofMinutes(5)).fate())
        .isEqualTo(Fate.RESTARTED);
    bench.fake.create("pods", "team-a", Manifests.gpuPod("later"));
    Eventually.holds("nothing is lost", () -> feed.has("5 pod team-a/later"));
    watch.lost();
  }

  @ParameterizedTest
  @EnumSource
  void theClaimOfWhatEarlierLeadersLeft(Fault.Kind kind) {
    Fault fault = new Fault(kind);
    ClusterWatch watch =
        patient(
            new StateSource() {
              @Override
              public PersistedState claim(long term) {
                fault.strike();
                return PersistedState.NOTHING;
              }

              @Override
              public void close() {}
            });
    watch.gained(5);
    Eventually.holds("all are watched", () -> bench.fake.watches() == Watched.values().length);

    assertThat(isHealed("state-claim", fault, Duration.ofMinutes(5)))
        .isEqualTo(!kind.isOfTheMachine());
    if (!kind.isOfTheMachine()) {
      Eventually.holds("the term begins", watch::isSynced);
      assertThat(feed.lines()).containsExactly("5 begin [team-a/held] [n1]");
    }
    watch.lost();
  }

  @ParameterizedTest
  @EnumSource
  void leadership(Fault.Kind kind) {
    Fault fault = new Fault(kind);
    Leadership leadership =
        new Leadership(
            bench.loopContext(),
            new Leadership.Settings(
                "cotenant-system",
                "cotenant",
                "one",
                Duration.ofSeconds(20),
                Duration.ofSeconds(10),
                Duration.ofSeconds(1)),
            new Leadership.Follower() {
              @Override
              public void gained(long term) {
                fault.strike();
              }

              @Override
              public void lost() {}
            },
            bench.log::add,
            InstantSource.system());
    leadership.start();

    assertThat(isHealed("leadership", fault)).as("a lost term is not resumed").isFalse();
    if (kind != Fault.Kind.HANG) {
      assertThat(leadership.isLeading()).isFalse();
    }
    leadership.close();
  }

  @ParameterizedTest
  @EnumSource
  void theLabelOfTheLeader(Fault.Kind kind) {
    Fault fault = new Fault(kind);
    bench.fake.create("pods", "cotenant-system", Manifests.plainPod("cotenant-a"));
    LeaderLabel label =
        new LeaderLabel(
            bench.loopContext(),
            new LeaderLabel.Candidate(
                "cotenant-system",
                "cotenant-a",
                () -> {
                  fault.strike();
                  return true;
                }),
            bench.log::add,
            new LeaderLabel.Timing(Duration.ofMillis(100), Duration.ofMillis(100)));
    label.gained(3);

    assertThat(isHealed("leader-label", fault)).isEqualTo(!kind.isOfTheMachine());
    if (!kind.isOfTheMachine()) {
      Eventually.holds(
          "it is labelled",
          () ->
              bench
                  .fake
                  .find("pods", "cotenant-system", "cotenant-a")
                  .orElseThrow()
                  .at("/metadata/labels")
                  .has(LeaderLabel.LABEL));
      label.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void theWriteOfLeaderState(Fault.Kind kind) {
    Fault fault = new Fault(kind);
    List<LeaderStateStore.Result> results = new CopyOnWriteArrayList<>();
    LeaderStateLoop writer =
        new LeaderStateLoop(
            (_, _) -> {
              fault.strike();
              return new LeaderStateStore.Result.Persisted();
            },
            bench.process.supervisor);
    writer.save(1, LeaderState.NONE, results::add);

    assertThat(isHealed("leader-state", fault, Duration.ofMinutes(1)))
        .isEqualTo(!kind.isOfTheMachine());
    if (!kind.isOfTheMachine()) {
      writer.save(1, LeaderState.NONE, results::add);
      Eventually.holds("both have a result", () -> results.size() == 2);
      assertThat(results.getFirst()).isInstanceOf(LeaderStateStore.Result.Uncertain.class);
      assertThat(results.getLast()).isInstanceOf(LeaderStateStore.Result.Persisted.class);
    }
    writer.close();
  }

  @Test
  void aLoopThatAsksTheServerIsHealedInTime() {
    Duration detected = bench.server.longestSilence().plusSeconds(2);

    assertThat(detected.plusSeconds(3 + 2)).isLessThanOrEqualTo(LIMIT);
  }
}
