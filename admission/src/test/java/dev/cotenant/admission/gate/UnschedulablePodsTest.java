package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.decision.Reason;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Granted pods that their scheduler refuses. */
class UnschedulablePodsTest {
  private static final String MESSAGE = "0/2 nodes are available: 1 Insufficient cpu.";

  private final GateBench bench = new GateBench(1, 1);

  /** A granted pod of a ReplicaSet. */
  private StoredPod granted(String name) {
    StoredPod pod = bench.pod(name, "resnet50", 10, 1);
    pod.gates.add(WatchedPod.GATE);
    pod.owner = "ReplicaSet/infer";
    bench.server.create(pod);
    bench.settle();
    assertThat(GateBench.gpu(pod)).isNotNull();
    return pod;
  }

  private void refuse(StoredPod pod) {
    // The scheduler keeps the time of the transition to False, which was when the pod was gated.
    pod.unschedulable = new WatchedPod.Unschedulable(pod.createdAt, MESSAGE, null);
    bench.change(pod);
  }

  private void resubmits() {
    bench.policy = bench.policy.with(copy -> copy.unschedulable = Policy.Unschedulable.RESUBMIT);
  }

  private List<String> messages() {
    return bench.replica.told.stream()
        .filter(event -> event.reason().equals("Unschedulable"))
        .map(event -> event.message())
        .toList();
  }

  @Test
  void aPodIsReportedAfterAMinuteAndKeepsItsCapacity() {
    bench.lead();
    StoredPod pod = granted("infer-0");
    bench.later(Duration.ofMinutes(3));
    refuse(pod);
    bench.later(Duration.ofHours(1));

    assertThat(messages())
        .singleElement()
        .asString()
        .contains("refuses granted node n1", MESSAGE, "delete the pod");
    assertThat(pod.annotations.get(CotenantAnnotations.UNSCHEDULABLE)).contains(MESSAGE);
    assertThat(bench.replica.deleted).isEmpty();
    assertThat(bench.state(pod)).isEqualTo(GrantState.BOUND);
  }

  @Test
  void theMinuteBeginsWithTheGrant() {
    bench.lead();
    StoredPod pod = granted("infer-0");
    refuse(pod);

    bench.later(Duration.ofSeconds(59));
    assertThat(messages()).isEmpty();
    bench.later(Duration.ofSeconds(1));
    assertThat(messages()).hasSize(1);
  }

  @Test
  void aPodThatTheSchedulerPlacesInTimeIsLeftAlone() {
    resubmits();
    bench.lead();
    StoredPod pod = granted("infer-0");
    refuse(pod);
    bench.later(Duration.ofSeconds(59));
    pod.unschedulable = null;
    bench.start(pod);
    bench.later(Duration.ofHours(1));

    assertThat(messages()).isEmpty();
    assertThat(bench.replica.deleted).isEmpty();
  }

  @Test
  void aPodIsDeletedAndItsSuccessorGoesToAnotherNode() {
    resubmits();
    bench.lead();
    StoredPod pod = granted("infer-0");
    assertThat(GateBench.gpu(pod)).isEqualTo("GPU-1a");
    refuse(pod);
    bench.later(Duration.ofMinutes(1));
    assertThat(bench.replica.deleted).containsExactly(pod.uid);
    assertThat(messages()).singleElement().asString().contains("(1 of 3)");

    bench.remove(pod);
    assertThat(GateBench.gpu(granted("infer-1"))).isEqualTo("GPU-2a");
    assertThat(GateBench.gpu(bench.hold("other", "resnet50", 10)))
        .as("pods of others may use the node")
        .isIn("GPU-1a", "GPU-2a");
  }

  @Test
  void aNodeIsAvoidedForTenMinutes() {
    resubmits();
    bench.lead();
    StoredPod first = granted("infer-0");
    refuse(first);
    bench.later(Duration.ofMinutes(1));
    bench.remove(first);
    StoredPod second = granted("infer-1");
    refuse(second);
    bench.later(Duration.ofMinutes(1));
    bench.remove(second);

    StoredPod third = bench.pod("infer-2", "resnet50", 10, 1);
    third.gates.add(WatchedPod.GATE);
    third.owner = "ReplicaSet/infer";
    bench.server.create(third);
    bench.settle();
    assertThat(bench.reasons(third))
        .filteredOn(Reason.NodeExcluded.class::isInstance)
        .map(Reason::sentence)
        .hasSize(2)
        .allMatch(sentence -> sentence.contains(MESSAGE) && sentence.contains("left out until"));

    bench.later(Duration.ofMinutes(9));
    assertThat(GateBench.gpu(third)).as("the first node's time is over").isEqualTo("GPU-1a");
  }

  @Test
  void aPodWithoutControllerIsReported() {
    resubmits();
    bench.lead();
    StoredPod pod = bench.hold("alone", "resnet50", 10);
    refuse(pod);
    bench.later(Duration.ofMinutes(1));

    assertThat(messages()).singleElement().asString().contains("delete the pod");
    assertThat(bench.replica.deleted).isEmpty();
  }

  @Test
  void podsOfOneOwnerAreDeletedThreeTimesADayForAllCausesTogether() {
    resubmits();
    bench.policy = bench.policy.with(copy -> copy.outOfMemory = Policy.OutOfMemory.RESUBMIT);
    bench.lead();
    StoredPod ran = granted("infer-0");
    bench.start(ran);
    ran.outOfMemory = true;
    bench.change(ran);
    assertThat(bench.replica.deleted).containsExactly(ran.uid);
    bench.remove(ran);
    for (int i = 1; i <= 3; i++) {
      StoredPod pod = granted("infer-" + i);
      refuse(pod);
      bench.later(Duration.ofMinutes(20));
      bench.remove(pod);
    }

    assertThat(bench.replica.deleted).hasSize(3);
    assertThat(messages().getLast()).contains("3 times today, the limit", "delete the pod");
  }

  @Test
  void aPodPlacedByASchedulerWithTheExtenderIsLeftToIt() {
    resubmits();
    bench.policy =
        bench
            .policy
            .with(copy -> copy.gpuAssignment = Policy.GpuAssignment.NODE_ONLY)
            .with(copy -> copy.schedulerName = FakeScheduler.NAME);
    bench.lead();
    StoredPod pod = bench.pod("infer-0", null, 1, 1);
    pod.gates.add(WatchedPod.GATE);
    pod.schedulerName = FakeScheduler.NAME;
    bench.server.create(pod);
    bench.settle();
    refuse(pod);
    bench.later(Duration.ofHours(1));

    assertThat(messages()).isEmpty();
  }

  @Test
  void aConflictOfTheAnnotationIsRetried() {
    bench.lead();
    StoredPod pod = granted("infer-0");
    refuse(pod);
    bench.now = bench.now.plus(Duration.ofMinutes(1));
    bench.controller().runCycle();
    bench.server.changed(pod); // by someone else, before the annotation arrives
    bench.settle();
    assertThat(pod.annotations).doesNotContainKey(CotenantAnnotations.UNSCHEDULABLE);

    bench.later(Duration.ofSeconds(1));
    assertThat(pod.annotations).containsKey(CotenantAnnotations.UNSCHEDULABLE);
  }
}
