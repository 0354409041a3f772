package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.NodeDecisions;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.patch.GrantAnnotations;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.state.PersistedState;
import dev.cotenant.domain.decision.Decision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pods whose scheduler chooses the node through the extender. */
class SchedulerPlacementTest {
  private static final List<String> NODES = List.of("n1", "n2");

  private final GateBench bench = new GateBench(1, 1);

  @BeforeEach
  void lead() {
    bench.policy = TestPolicies.placedBy(FakeScheduler.NAME);
    bench.lead();
  }

  /** A gated pod without a model, so that it gets a whole GPU. */
  private StoredPod whole(String name) {
    StoredPod pod = bench.pod(name, null, 1, 1);
    pod.gates.add(WatchedPod.GATE);
    pod.schedulerName = FakeScheduler.NAME;
    bench.server.create(pod);
    bench.settle();
    return pod;
  }

  private CompletableFuture<Optional<String>> bind(StoredPod pod, String node) {
    CompletableFuture<Optional<String>> outcome =
        bench.controller().bind(pod.identity, pod.uid, node).orElseThrow();
    bench.settle();
    return outcome;
  }

  private void bound(StoredPod pod, String node) {
    assertThat(bind(pod, node)).isCompletedWithValue(Optional.empty());
  }

  private Map<String, NodeDecisions.NodeDecision> decisions(StoredPod pod) {
    return bench.controller().decide(pod.uid, NODES).orElseThrow()
            instanceof NodeDecisions.Each(var byNode)
        ? byNode
        : Map.of();
  }

  private List<String> fitting(StoredPod pod) {
    return decisions(pod).entrySet().stream()
        .filter(node -> node.getValue().decision() instanceof Decision.Admitted)
        .map(Map.Entry::getKey)
        .toList();
  }

  @Test
  void releasesAPodWithoutANodeAndWithoutAGpu() {
    StoredPod pod = whole("train");

    assertThat(pod.gates).isEmpty();
    assertThat(pod.nodeSelector).isEmpty();
    assertThat(pod.annotations)
        .doesNotContainKey(CotenantAnnotations.ASSIGNED_GPU)
        .containsEntry(CotenantAnnotations.DECISION, GrantAnnotations.NOMINATED);
    assertThat(bench.state(pod)).isEqualTo(GrantState.NOMINATED);
  }

  @Test
  void bindsWithTheGrantInOneWrite() {
    StoredPod pod = whole("train");
    assertThat(fitting(pod)).containsExactly("n1", "n2");
    long before = pod.version;

    assertThat(bind(pod, "n2")).isCompletedWithValue(Optional.empty());

    assertThat(pod.version).isEqualTo(before + 1);
    assertThat(pod.node).isEqualTo("n2");
    assertThat(pod.annotations)
        .containsEntry(CotenantAnnotations.ASSIGNED_NODE, "n2")
        .containsEntry(CotenantAnnotations.ASSIGNED_GPU, "GPU-2a")
        .containsEntry(CotenantAnnotations.DECISION, GrantAnnotations.EXCLUSIVE);
    assertThat(bench.state(pod)).isEqualTo(GrantState.BOUND);
    assertThat(bench.events()).containsExactly("Granted");
  }

  @Test
  void releasesNoMorePodsThanCanRun() {
    whole("first");
    whole("second");

    assertThat(whole("third").gates).containsExactly(WatchedPod.GATE);
  }

  @Test
  void releasesNoMorePodsThanCanRunWhileOthersAreUngated() {
    GateBench large = new GateBench(4);
    large.policy = TestPolicies.placedBy(FakeScheduler.NAME);
    large.lead();
    List<StoredPod> pods = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      StoredPod pod = large.pod("pod-" + i, null, 1, 1);
      pod.gates.add(WatchedPod.GATE);
      pod.schedulerName = FakeScheduler.NAME;
      pods.add(pod);
    }
    large.server.create(pods.getFirst());
    large.settle();
    pods.stream().skip(1).forEach(large.server::create);
    var news = List.copyOf(large.replica.news);
    large.replica.news.clear();
    news.forEach(event -> event.accept(large.controller()));
    large.controller().runCycle(); // the others are being ungated

    var _ = large.controller().bind(pods.getFirst().identity, pods.getFirst().uid, "n1");
    large.controller().runCycle();
    large.settle();

    assertThat(pods.stream().filter(pod -> pod.gates.isEmpty())).hasSize(4);
  }

  @Test
  void movesTheNominationOfAnotherPodOutOfTheWay() {
    StoredPod first = whole("first");
    StoredPod second = whole("second");
    String nominated =
        decisions(second).entrySet().stream()
            .filter(n -> n.getValue().preference() == NodeDecisions.Preference.NOMINATED)
            .map(Map.Entry::getKey)
            .findFirst()
            .orElseThrow();
    assertThat(decisions(first).get(nominated))
        .extracting(NodeDecisions.NodeDecision::preference)
        .isEqualTo(NodeDecisions.Preference.DISPLACES);

    assertThat(bind(first, nominated)).isCompletedWithValue(Optional.empty());

    String other = nominated.equals("n1") ? "n2" : "n1";
    assertThat(fitting(second)).containsExactly(other);
    assertThat(decisions(second).get(other))
        .extracting(NodeDecisions.NodeDecision::preference)
        .isEqualTo(NodeDecisions.Preference.NOMINATED);
  }

  @Test
  void bindsNothingWhereNoCapacityIsLeft() {
    StoredPod first = whole("first");
    StoredPod second = whole("second");
    bound(first, "n1");

    assertThat(bind(second, "n1").join().orElseThrow()).contains("no capacity is left on n1");
    assertThat(second.node).isNull();
    bound(second, "n2");
  }

  @Test
  void givesANominationUpThatItsSchedulerCannotPlace() {
    StoredPod stuck = whole("stuck");
    StoredPod second = whole("second");
    bound(second, decisions(second).keySet().iterator().next());
    StoredPod third = whole("third");
    assertThat(third.gates).containsExactly(WatchedPod.GATE);

    bench.later(Duration.ofSeconds(31));
    assertThat(third.gates).as("not refused yet").containsExactly(WatchedPod.GATE);
    stuck.unschedulable = new WatchedPod.Unschedulable(bench.now, "Insufficient cpu", null);
    bench.change(stuck);

    assertThat(third.gates).as("the idle GPU is nominated for it").isEmpty();
    assertThat(fitting(stuck)).as("it may be bound all the same").hasSize(1);
  }

  @Test
  void leavesAReleasedPodUnmanagedAfterTheMaximumWait() {
    bench.policy =
        bench.policy.with(copy -> copy.queue = TestPolicies.queue(20, Policy.Fallback.UNMANAGED));
    StoredPod stuck = whole("stuck");
    stuck.unschedulable = new WatchedPod.Unschedulable(bench.now, "Insufficient cpu", null);
    bench.change(stuck);
    takeAllGpus();
    bench.later(bench.policy.queue().maxWait().minusSeconds(5));
    assertThat(stuck.annotations)
        .containsEntry(CotenantAnnotations.DECISION, GrantAnnotations.NOMINATED);
    assertThat(fitting(stuck)).isEmpty();

    bench.later(Duration.ofSeconds(10));

    assertThat(stuck.annotations)
        .containsEntry(CotenantAnnotations.DECISION, GrantAnnotations.UNMANAGED)
        .hasEntrySatisfying(
            CotenantAnnotations.REASON, why -> assertThat(why).startsWith("WaitTimeout"));
    assertThat(bench.controller().decide(stuck.uid, NODES).orElseThrow())
        .isEqualTo(new NodeDecisions.Unmanaged());
    assertThat(bench.events()).contains("Unmanaged");
    bound(stuck, "n1");
    assertThat(stuck.annotations).doesNotContainKey(CotenantAnnotations.ASSIGNED_GPU);
  }

  @Test
  void grantsAReleasedPodThatFitsAfterTheMaximumWait() {
    bench.policy =
        bench.policy.with(copy -> copy.queue = TestPolicies.queue(20, Policy.Fallback.UNMANAGED));
    StoredPod late = whole("late");

    bench.later(bench.policy.queue().maxWait().plusSeconds(5));

    assertThat(late.annotations)
        .containsEntry(CotenantAnnotations.DECISION, GrantAnnotations.NOMINATED);
    bound(late, "n2");
    assertThat(late.annotations).containsEntry(CotenantAnnotations.ASSIGNED_GPU, "GPU-2a");
  }

  @Test
  void keepsAReleasedPodWaitingWithFallbackHold() {
    bench.policy =
        bench.policy.with(copy -> copy.queue = TestPolicies.queue(20, Policy.Fallback.HOLD));
    StoredPod stuck = whole("stuck");
    takeAllGpus();

    bench.later(bench.policy.queue().maxWait().plusSeconds(5));

    assertThat(stuck.annotations)
        .containsEntry(CotenantAnnotations.DECISION, GrantAnnotations.NOMINATED);
    assertThat(fitting(stuck)).isEmpty();
  }

  /** Pods without a grant use the GPU of each node. */
  private void takeAllGpus() {
    for (String node : NODES) {
      StoredPod foreign =
          new StoredPod(
              "uid-on-" + node,
              new PodIdentity("other", "on-" + node, null),
              new PodRequest.OptedOut(OptionalInt.of(1)),
              bench.now);
      foreign.node = node;
      bench.server.create(foreign);
    }
    bench.settle();
  }

  @Test
  void holdsTheCapacityOfABindingWithoutAnAnswer() {
    StoredPod pod = whole("train");
    CompletableFuture<Optional<String>> outcome =
        bench.controller().bind(pod.identity, pod.uid, "n1").orElseThrow();
    Replica.Flight binding = bench.replica.flights.removeFirst();
    assertThat(binding.write.get()).isEqualTo(new WriteResult.Done());
    binding.done.accept(new WriteResult.Unknown("timed out"));
    bench.replica.news.clear(); // and the watch is late
    bench.replica.runInbox();

    assertThat(outcome.join().orElseThrow()).contains("unknown");
    assertThat(bench.controller().decide(pod.uid, NODES).orElseThrow())
        .isEqualTo(new NodeDecisions.Granted("n1"));
    bench.server.changed(pod);
    bench.settle();
    assertThat(bench.state(pod)).isEqualTo(GrantState.BOUND);
  }

  @Test
  void holdsTheCapacityOfABindingWhoseRepetitionConflicts() {
    StoredPod pod = whole("train");
    var _ = bench.controller().bind(pod.identity, pod.uid, "n1");
    Replica.Flight binding = bench.replica.flights.removeFirst();
    assertThat(binding.write.get()).isEqualTo(new WriteResult.Done());
    binding.done.accept(new WriteResult.Unknown("timed out"));
    bench.replica.news.clear(); // and the watch is late
    bench.replica.runInbox();
    bench.now = bench.now.plusSeconds(2);
    bench.controller().runCycle();
    Replica.Flight repeated = bench.replica.flights.removeFirst();
    repeated.done.accept(repeated.write.get()); // a conflict with itself
    bench.replica.runInbox();

    assertThat(bench.controller().decide(pod.uid, NODES).orElseThrow())
        .isEqualTo(new NodeDecisions.Granted("n1"));
    assertThat(fitting(whole("second"))).containsExactly("n2");
  }

  @Test
  void aNewLeaderDecidesOnlyOnceNoEarlierBindingCanArrive() {
    StoredPod pod = whole("train");
    var _ = bench.controller().bind(pod.identity, pod.uid, "n1");
    Replica.Flight late = bench.replica.flights.removeFirst();

    bench.beginInSilence(new PersistedState(List.of(), bench.notes));
    assertThat(bench.controller().decide(pod.uid, NODES)).as("not ready").isEmpty();
    bench.settle();

    assertThat(late.write.get()).isEqualTo(new WriteResult.Conflict());
    assertThat(fitting(pod)).containsExactly("n1", "n2");
  }

  @Test
  void placesPodsOfAnotherSchedulerItself() {
    StoredPod pod = bench.hold("train", null, 1);

    assertThat(pod.nodeSelector).containsKey("kubernetes.io/hostname");
    assertThat(pod.annotations).containsKey(CotenantAnnotations.ASSIGNED_GPU);
    assertThat(bench.controller().decide(pod.uid, NODES).orElseThrow())
        .isInstanceOf(NodeDecisions.Granted.class);
  }

  @Test
  void leavesPodsThatWereUngatedUnmanagedToTheirScheduler() {
    StoredPod pod = bench.pod("train", null, 1, 1);
    pod.schedulerName = FakeScheduler.NAME;
    pod.annotations.put(CotenantAnnotations.DECISION, GrantAnnotations.UNMANAGED);
    bench.server.create(pod);
    bench.settle();

    assertThat(bench.controller().decide(pod.uid, NODES).orElseThrow())
        .isEqualTo(new NodeDecisions.Unmanaged());
    assertThat(bind(pod, "n1")).isCompletedWithValue(Optional.empty());
    assertThat(pod.annotations).doesNotContainKey(CotenantAnnotations.ASSIGNED_GPU);
  }

  @Test
  void bindsAPodThatItHasNotSeenYet() {
    StoredPod pod = bench.pod("train", null, 1, 1);
    pod.schedulerName = FakeScheduler.NAME;
    bench.server.create(pod);
    bench.replica.news.clear();

    assertThat(bench.controller().decide(pod.uid, NODES).orElseThrow())
        .isEqualTo(new NodeDecisions.UnknownPod());
    assertThat(bind(pod, "n1")).isCompletedWithValue(Optional.empty());
    assertThat(pod.annotations).containsEntry(CotenantAnnotations.ASSIGNED_GPU, "GPU-1a");
  }

  @Test
  void bindsAnOptedOutPodAsItIsAndCountsItsGpu() {
    StoredPod pod =
        new StoredPod(
            "uid-out",
            new PodIdentity("team-a", "out", null),
            new PodRequest.OptedOut(OptionalInt.of(1)),
            bench.now);
    pod.schedulerName = FakeScheduler.NAME;
    bench.server.create(pod);
    bench.settle();
    CompletableFuture<Optional<String>> outcome =
        bench.controller().bind(pod.identity, pod.uid, "n1").orElseThrow();

    assertThat(fitting(whole("second"))).as("before the answer").containsExactly("n2");
    bench.settle();
    assertThat(outcome).isCompletedWithValue(Optional.empty());
    assertThat(pod.node).isEqualTo("n1");
  }

  @Test
  void aConflictOfAStandingGrantIsTriedAgainByTheScheduler() {
    StoredPod pod = bench.hold("train", null, 1);
    String node = pod.annotations.get(CotenantAnnotations.ASSIGNED_NODE);
    CompletableFuture<Optional<String>> first =
        bench.controller().bind(pod.identity, pod.uid, String.valueOf(node)).orElseThrow();
    bench.server.changed(pod); // by the scheduler, before the binding arrives
    bench.settle();

    assertThat(first.join()).contains("the pod has changed");
    bound(pod, String.valueOf(node));
  }

  @Test
  void fencesAPodThatWasReleasedUnderAnotherPolicy() {
    StoredPod pod = whole("train");
    var _ = bench.controller().bind(pod.identity, pod.uid, "n1");
    Replica.Flight late = bench.replica.flights.removeFirst();

    bench.policy = TestPolicies.placedBy("another");
    bench.begin(new PersistedState(List.of(), bench.notes));

    assertThat(late.write.get()).isEqualTo(new WriteResult.Conflict());
  }

  @Test
  void saysThatAPodIsGone() {
    StoredPod pod = whole("train");
    bench.server.pods.remove(pod.uid);

    assertThat(bind(pod, "n1").join()).contains("the pod is gone");
  }
}
