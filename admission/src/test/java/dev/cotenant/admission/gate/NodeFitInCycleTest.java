package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.ClusterChange;
import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.LabelSelector;
import dev.cotenant.admission.cluster.NodeRequirements.Expression;
import dev.cotenant.admission.cluster.NodeRequirements.Operator;
import dev.cotenant.admission.cluster.PlainPod;
import dev.cotenant.admission.cluster.PodTopology;
import dev.cotenant.admission.cluster.PodTopology.PodSelector;
import dev.cotenant.admission.cluster.PodTopology.Term;
import dev.cotenant.admission.cluster.ResourceAmounts;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.decision.Reason;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Grants on nodes where the scheduler can place the pod, and on no others. */
class NodeFitInCycleTest {
  private final GateBench bench = new GateBench(1, 1);

  private static Footprint requesting(Map<String, Long> requests, PodTopology topology) {
    return new Footprint(
        ResourceAmounts.of(requests), List.of(), Map.of("app", "infer"), topology, Set.of());
  }

  private static Footprint requesting(Map<String, Long> requests) {
    return requesting(requests, PodTopology.NONE);
  }

  private void offer(Map<String, Long> amounts) {
    bench.gpus.allocatable = ResourceAmounts.of(amounts);
    bench.lead();
  }

  private StoredPod hold(String name, Footprint footprint) {
    StoredPod pod = bench.pod(name, "resnet50", 10, 1);
    pod.gates.add(WatchedPod.GATE);
    pod.footprint = footprint;
    bench.server.create(pod);
    bench.settle();
    return pod;
  }

  private void plain(String uid, String node, long millicores) {
    change(
        new ClusterChange.PodSeen(
            new PlainPod(uid, "web", node, requesting(Map.of("cpu", millicores)))));
  }

  private void change(ClusterChange change) {
    bench.controller().changed(1, change);
    bench.settle();
  }

  @Test
  void theSecondSharerOfADeviceOfTheStockPluginGoesToAnotherNodeOrWaits() {
    offer(Map.of("nvidia.com/gpu", 1L));
    Footprint one = requesting(Map.of("nvidia.com/gpu", 1L));
    StoredPod first = hold("first", one);
    StoredPod second = hold("second", one);
    StoredPod third = hold("third", one);

    assertThat(List.of(String.valueOf(GateBench.gpu(first)), String.valueOf(GateBench.gpu(second))))
        .containsExactlyInAnyOrder("GPU-1a", "GPU-2a");
    assertThat(third.gates).containsExactly(WatchedPod.GATE);
    assertThat(bench.reasons(third))
        .contains(
            new Reason.NodeExcluded("n1", "Insufficient nvidia.com/gpu: requests 1, free 0 of 1"));

    bench.start(first);
    bench.remove(first);
    assertThat(GateBench.gpu(third)).isEqualTo("GPU-1a");
  }

  @Test
  void aPodOfPriorityIsReleasedToASchedulerThatMayPreemptForItsCores() {
    bench.policy = TestPolicies.placedBy(FakeScheduler.NAME);
    offer(Map.of("cpu", 4_000L));
    plain("web-1", "n1", 3_000);
    plain("web-2", "n2", 3_000);

    assertThat(placedByScheduler("low", 0).gates).containsExactly(WatchedPod.GATE);
    assertThat(placedByScheduler("urgent", 1_000).gates).isEmpty();
  }

  @Test
  void capacityNominatedForPreemptionGivesWayWhereTheSchedulerPreemptsNothing() {
    bench.policy = TestPolicies.placedBy(FakeScheduler.NAME);
    offer(Map.of("cpu", 4_000L));
    plain("web-1", "n1", 3_000);
    plain("web-2", "n2", 3_000);
    StoredPod urgent = placedByScheduler("urgent", 1_000);
    StoredPod other = placedByScheduler("other", 1_000);
    StoredPod small = placedByScheduler("small", 0, 500);
    assertThat(small.gates).as("both GPUs are nominated").containsExactly(WatchedPod.GATE);

    refuse(urgent, "n1");
    assertThat(small.gates).as("it preempts").containsExactly(WatchedPod.GATE);

    refuse(other, null);
    assertThat(small.gates).isEmpty();
  }

  private void refuse(StoredPod pod, @Nullable String preemptsOn) {
    pod.unschedulable = new WatchedPod.Unschedulable(bench.now, "Insufficient cpu", preemptsOn);
    bench.change(pod);
  }

  private StoredPod placedByScheduler(String name, int priority) {
    return placedByScheduler(name, priority, 2_000);
  }

  private StoredPod placedByScheduler(String name, int priority, long millicores) {
    StoredPod pod = bench.pod(name, null, 1, 1);
    pod.gates.add(WatchedPod.GATE);
    pod.footprint = requesting(Map.of("cpu", millicores));
    pod.schedulerName = FakeScheduler.NAME;
    pod.priority = priority;
    bench.server.create(pod);
    bench.settle();
    return pod;
  }

  @Test
  void aNodeFullOfOtherPodsIsLeftOutUntilOneIsGone() {
    offer(Map.of("cpu", 4_000L));
    plain("web-1", "n1", 3_000);
    plain("web-2", "n2", 3_000);
    StoredPod pod = hold("infer", requesting(Map.of("cpu", 2_000L)));
    assertThat(bench.reasons(pod))
        .containsExactly(
            new Reason.NodeExcluded("n1", "Insufficient cpu: requests 2, free 1 of 4"),
            new Reason.NodeExcluded("n2", "Insufficient cpu: requests 2, free 1 of 4"));

    change(new ClusterChange.PodGone("web-2"));

    assertThat(GateBench.gpu(pod)).isEqualTo("GPU-2a");
  }

  @Test
  void podsListedAtTheBeginCount() {
    bench.gpus.allocatable = ResourceAmounts.of(Map.of("cpu", 4_000L));
    bench.lead();
    bench
        .controller()
        .begin(
            2,
            new GateFeed.Listed(
                List.of(),
                bench.gpus.nodes(),
                List.of(
                    new ClusterChange.PodSeen(
                        new PlainPod("web", "web", "n1", requesting(Map.of("cpu", 4_000L)))))),
            dev.cotenant.admission.state.PersistedState.NOTHING);
    StoredPod pod = bench.pod("infer", "resnet50", 10, 1);
    pod.gates.add(WatchedPod.GATE);
    pod.footprint = requesting(Map.of("cpu", 1_000L));
    bench.controller().podSeen(2, pod.watched());
    bench.controller().runCycle();

    assertThat(bench.controller().view().granted().get(pod.identity)).isNotNull();
    assertThat(bench.controller().cluster().orElseThrow().find("GPU-1a").orElseThrow().tenancy())
        .isEqualTo(new dev.cotenant.domain.cluster.Tenancy.Shared(List.of()));
  }

  @Test
  void replicasThatRepelEachOtherGoToDifferentNodes() {
    offer(Map.of("cpu", 4_000L));
    PodTopology apart =
        new PodTopology(
            List.of(),
            List.of(
                new Term(
                    new PodSelector(
                        Set.of("team-a"),
                        new LabelSelector(
                            List.of(new Expression("app", Operator.IN, Set.of("infer"))))),
                    WatchedNode.HOSTNAME_LABEL)),
            List.of());
    StoredPod first = hold("infer-0", requesting(Map.of(), apart));
    StoredPod second = hold("infer-1", requesting(Map.of(), apart));
    StoredPod third = hold("infer-2", requesting(Map.of(), apart));

    assertThat(List.of(String.valueOf(GateBench.gpu(first)), String.valueOf(GateBench.gpu(second))))
        .containsExactlyInAnyOrder("GPU-1a", "GPU-2a");
    assertThat(bench.reasons(third))
        .contains(new Reason.NodeExcluded("n1", "didn't match pod anti-affinity rules"));

    bench.remove(first);
    assertThat(GateBench.gpu(third)).isEqualTo(first.annotations.get("cotenant.dev/assigned-gpu"));
  }

  @Test
  void noGpuIsReservedOnANodeThatIsFullOfOtherPods() {
    bench.policy =
        bench.policy.with(copy -> copy.queue = TestPolicies.queue(0, Policy.Fallback.HOLD));
    offer(Map.of("cpu", 4_000L));
    plain("web-1", "n1", 3_000);
    plain("web-2", "n2", 3_000);
    StoredPod large = hold("large", requesting(Map.of("cpu", 2_000L)));
    StoredPod small = hold("small", requesting(Map.of("cpu", 500L)));

    assertThat(large.gates).isNotEmpty();
    assertThat(GateBench.gpu(small)).isNotNull();
  }
}
