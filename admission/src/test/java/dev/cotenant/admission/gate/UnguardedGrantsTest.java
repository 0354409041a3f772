package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.patch.GrantAnnotations;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.cluster.Tenancy;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Grants that pods say they have in a namespace that no webhook guards, {@code team-x}. */
class UnguardedGrantsTest {
  private final GateBench bench = new GateBench(2, 1);

  UnguardedGrantsTest() {
    bench.optedOut.add("team-x");
  }

  private StoredPod claiming(String name, PodRequest request, @Nullable String node, String gpus) {
    StoredPod pod =
        new StoredPod("uid-" + name, new PodIdentity("team-x", name, null), request, bench.now);
    pod.annotations.put(CotenantAnnotations.DECISION, GrantAnnotations.EXCLUSIVE);
    pod.annotations.put(CotenantAnnotations.ASSIGNED_NODE, "n1");
    pod.annotations.put(CotenantAnnotations.ASSIGNED_GPU, gpus);
    pod.annotations.put(CotenantAnnotations.GRANTED_AT, bench.now.toString());
    pod.node = node;
    bench.server.create(pod);
    bench.settle();
    return pod;
  }

  /** Anybody could make a model too large for every GPU of the cluster, for everybody. */
  @Test
  void learnsNothingFromMemoryThatRanOutThere() {
    bench.policy = bench.policy.with(copy -> copy.outOfMemory = Policy.OutOfMemory.RESUBMIT);
    bench.lead();
    StoredPod pod = claiming("liar", asking(1), "n1", "GPU-1b");
    pod.annotations.put(CotenantAnnotations.DECISION, GrantAnnotations.ADMITTED);
    pod.annotations.put(CotenantAnnotations.PREDICTED_UTILIZATION, "20");
    pod.annotations.put(CotenantAnnotations.PREDICTED_MEMORY, "999999999Mi");
    pod.owner = "ReplicaSet/liar-1";
    bench.start(pod);
    pod.outOfMemory = true;
    bench.change(pod);

    assertThat(bench.log).noneMatch(line -> line.startsWith("corrected"));
    assertThat(bench.replica.deleted).isEmpty();
    assertThat(bench.events()).containsExactly("GrantUnreadable");
  }

  private PodRequest asking(int gpus) {
    return bench.pod("any", null, 1, gpus).request;
  }

  private List<String> taken() {
    return bench.controller().cluster().orElseThrow().gpus().stream()
        .filter(gpu -> gpu.tenancy() instanceof Tenancy.Exclusive)
        .map(gpu -> gpu.uuid())
        .toList();
  }

  @Test
  void givesNoGpuToAPodThatAsksForNone() {
    bench.lead();

    StoredPod pod = claiming("liar", new PodRequest.NoGpu(), "n1", "GPU-1a,GPU-1b");

    assertThat(taken()).isEmpty();
    assertThat(bench.log).anyMatch(line -> line.startsWith("distrusted team-x/liar"));
    bench.lead();
    assertThat(taken()).as("with the next leader").isEmpty();
    assertThat(bench.controller().view().granted()).doesNotContainKey(pod.identity);
  }

  @Test
  void givesNoGpuToAPodThatWaitsForANode() {
    bench.lead();

    claiming("pending", asking(1), null, "GPU-1a");

    assertThat(taken()).isEmpty();
  }

  @Test
  void countsForAPodAsManyGpusAsItAsksFor() {
    bench.lead();

    claiming("greedy", asking(1), "n1", "GPU-1a,GPU-1b");

    assertThat(taken()).hasSize(1);
  }

  /**
   * It named the GPU that others share and left free the one that the kubelet gave it. It runs on
   * one of its node's GPUs, whichever that is.
   */
  @Test
  void believesNoPodThatNoLeaderHasGrantedAnything() {
    StoredPod pod = claiming("runs", asking(1), "n1", "GPU-1b");
    pod.annotations.put(CotenantAnnotations.DECISION, GrantAnnotations.ADMITTED);
    pod.annotations.put(CotenantAnnotations.PREDICTED_UTILIZATION, "1.0");
    pod.annotations.put(CotenantAnnotations.PREDICTED_MEMORY, "1Mi");

    bench.lead();

    assertThat(bench.controller().view().granted()).doesNotContainKey(pod.identity);
    assertThat(bench.log).anyMatch(line -> line.startsWith("distrusted team-x/runs"));
    assertThat(bench.controller().cluster().orElseThrow().gpus())
        .filteredOn(gpu -> gpu.node().equals("n1"))
        .filteredOn(gpu -> gpu.tenancy() instanceof Tenancy.Exclusive)
        .as("the one that it requests")
        .hasSize(1);
  }

  /** A pod of a namespace that was opted in; the record outlives leaders, and changes of it. */
  @Test
  void believesWhatALeaderHasRecordedAndNothingElse() {
    bench.lead();
    StoredPod pod = bench.hold("train", "resnet50", 10);
    bench.start(pod);
    bench.optedOut.add("team-a");
    bench.later(Duration.ofSeconds(6));
    bench.lead();
    assertThat(bench.controller().view().granted()).containsKey(pod.identity);
    bench.later(Duration.ofSeconds(6));
    bench.lead();
    assertThat(bench.controller().view().granted()).containsKey(pod.identity);

    pod.annotations.put(CotenantAnnotations.PREDICTED_MEMORY, "1Mi");
    bench.lead();

    assertThat(bench.controller().view().granted()).doesNotContainKey(pod.identity);
    assertThat(bench.log).anyMatch(line -> line.startsWith("distrusted team-a/train"));
  }

  @Test
  void anotherPodDoesNotInheritARecordedGrant() {
    bench.lead();
    StoredPod pod = bench.hold("train", "resnet50", 10);
    bench.start(pod);
    bench.optedOut.add("team-a");
    bench.later(Duration.ofSeconds(6));
    StoredPod twin =
        new StoredPod("uid-twin", new PodIdentity("team-x", "twin", null), pod.request, bench.now);
    twin.annotations.putAll(pod.annotations);
    twin.node = pod.node;
    bench.server.create(twin);

    bench.lead();

    assertThat(bench.controller().view().granted())
        .containsKey(pod.identity)
        .doesNotContainKey(twin.identity);
  }

  @Test
  void keepsTheGrantOfAPodWhoseNamespaceIsOptedOutWhileItIsOnItsWay() {
    bench.lead();
    StoredPod pod = bench.pod("first", null, 1, 1);
    pod.gates.add(WatchedPod.GATE);
    bench.server.create(pod);
    List.copyOf(bench.replica.news).forEach(one -> one.accept(bench.controller()));
    bench.controller().runCycle();
    bench.optedOut.add("team-a");

    bench.settle();

    assertThat(pod.gates).isEmpty();
    assertThat(taken()).containsExactly(pod.annotation(CotenantAnnotations.ASSIGNED_GPU));
  }
}
