package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.FakePredictor;
import dev.cotenant.admission.cluster.ClusterWriter.WriteResult;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.ledger.CapacityRequest;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.patch.GrantAnnotations;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.state.LeaderState;
import dev.cotenant.admission.state.PersistedState;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Pods that our gate holds, or that went elsewhere, and took capacity that was reserved. */
class HeldReservationTest {
  private static final DeviceId A100 = new DeviceId("a100-40gb");
  private static final String OTHER_GATE = "example.com/other";
  private static final SharingDecider DECIDER =
      new SharingDecider(FallbackInterferenceModel.builtIn());

  private final GateBench bench = new GateBench(1, 1);

  private Decision reserve(String admissionId, Function<ClusterSnapshot, Decision> decide) {
    CapacityRequest capacityRequest =
        new CapacityRequest(admissionId, (Colocatable) bench.pod("to-come", null, 1, 1).request);
    return bench.controller().allocate(capacityRequest, decide).orElseThrow();
  }

  private static Decision whole(ClusterSnapshot cluster) {
    var because = new ExclusiveCause.SeveralGpus();
    return DECIDER.decide(
        cluster,
        new PlacementRequest.Whole("w", 1, because, Map.of()),
        gpu -> gpu.node().equals("n1"));
  }

  /** So many percent and 10 more, 5 GiB, on n1. */
  private static Function<ClusterSnapshot, Decision> share(double percent) {
    var prediction = FakePredictor.of(percent, MemorySize.ofGiB(4), A100);
    return cluster ->
        DECIDER.decide(
            cluster,
            new PlacementRequest.Share("w", Map.of(A100, prediction), SharingLimits.DEFAULT),
            gpu -> gpu.node().equals("n1"));
  }

  /** A held pod that is not decided on yet, for somebody else holds it as well. */
  private void create(StoredPod pod) {
    pod.gates.add(OTHER_GATE);
    pod.gates.add(WatchedPod.GATE);
    bench.server.create(pod);
    bench.settle();
  }

  private void create(StoredPod pod, String admissionId) {
    create(pod);
    assertThat(bench.controller().confirm(admissionId, pod.identity, pod.uid)).isTrue();
  }

  private void decideOn(StoredPod pod) {
    pod.gates.remove(OTHER_GATE);
    bench.change(pod);
  }

  /** The pod took the GPU of n1, and the patch that lets it go there is on its way. */
  private Replica.Flight onItsWay(StoredPod pod) {
    bench.lead();
    assertThat(reserve("t1", HeldReservationTest::whole)).isInstanceOf(Decision.Admitted.class);
    create(pod, "t1");
    pod.gates.remove(OTHER_GATE);
    bench.server.changed(pod);
    var news = List.copyOf(bench.replica.news);
    bench.replica.news.clear();
    news.forEach(one -> one.accept(bench.controller()));
    bench.controller().runCycle();
    return bench.replica.flights.removeFirst();
  }

  private int tenants(String gpu) {
    return bench.controller().cluster().orElseThrow().find(gpu).orElseThrow().tenancy()
            instanceof Tenancy.Shared(var tenants)
        ? tenants.size()
        : -1;
  }

  @Test
  void keepsTheCapacityOfAPodThatMayBeOnItsWayThereWhenItsReservationIsGivenBack() {
    StoredPod pod = bench.pod("taker", null, 1, 1);
    Replica.Flight flight = onItsWay(pod);

    assertThat(bench.controller().release("t1")).isTrue();

    assertThat(bench.controller().find("t1")).isEmpty();
    assertThat(reserve("t2", HeldReservationTest::whole)).isInstanceOf(Decision.Held.class);
    flight.done.accept(flight.write.get());
    bench.settle();
    assertThat(GateBench.gpu(pod)).isEqualTo("GPU-1a");
    assertThat(reserve("t2", HeldReservationTest::whole)).isInstanceOf(Decision.Held.class);
    bench.remove(pod);
    assertThat(reserve("t2", HeldReservationTest::whole)).isInstanceOf(Decision.Admitted.class);
  }

  @Test
  void keepsTheCapacityOfAPodThatWasLetGoAndNotSeenSo() {
    StoredPod pod = bench.pod("taker", null, 1, 1);
    Replica.Flight flight = onItsWay(pod);
    flight.done.accept(flight.write.get());
    bench.replica.runInbox();

    bench.controller().release("t1");

    assertThat(reserve("t2", HeldReservationTest::whole)).isInstanceOf(Decision.Held.class);
    bench.settle();
    assertThat(tenants("GPU-1a")).as("held whole").isEqualTo(-1);
  }

  @Test
  void givesTheCapacityBackOnceTheApiServerRefusesToLetThePodGo() {
    Replica.Flight flight = onItsWay(bench.pod("taker", null, 1, 1));
    bench.controller().release("t1");

    flight.done.accept(new WriteResult.Refused("a webhook said no"));
    bench.replica.runInbox();

    assertThat(reserve("t2", HeldReservationTest::whole)).isInstanceOf(Decision.Admitted.class);
  }

  @Test
  void givesTheCapacityOfAPodBackAtOnceThatNothingIsOnItsWayFor() {
    bench.lead();
    reserve("t1", HeldReservationTest::whole);
    create(bench.pod("taker", null, 1, 1), "t1");

    assertThat(bench.controller().release("t1")).isTrue();

    assertThat(tenants("GPU-1a")).isZero();
  }

  @Test
  void sendsAPodToWhatWasReservedForItAndDatesThatThen() {
    bench.lead();
    reserve("t1", share(50)); // up to 60 %, 5 GiB
    StoredPod pod = bench.pod("taker", "densenet121", 1, 1); // up to 45.1 %, 3.1 GiB
    create(pod, "t1");
    bench.later(Duration.ofHours(1));
    assertThat(bench.log).as("leaks, while it is held").isEmpty();

    decideOn(pod);

    assertThat(pod.annotations)
        .containsEntry(CotenantAnnotations.ASSIGNED_GPU, "GPU-1a")
        .containsEntry(CotenantAnnotations.PREDICTED_UTILIZATION, "60.0")
        .containsEntry(CotenantAnnotations.GRANTED_AT, bench.now.toString());
    assertThat(bench.controller().find("t1")).map(PodGrant::key).contains(pod.uid);
    assertThat(tenants("GPU-1a")).isEqualTo(1);
  }

  @Test
  void decidesAnewOnAPodThatAsksForMoreThanWasReserved() {
    bench.lead();
    reserve("t1", share(35)); // up to 45 %, 5 GiB
    StoredPod pod = bench.pod("taker", "vgg19", 10, 1); // up to 60 + 1 + 10 %
    create(pod, "t1");

    decideOn(pod);

    assertThat(pod.annotations).containsEntry(CotenantAnnotations.PREDICTED_UTILIZATION, "71.0");
    assertThat(bench.controller().find("t1")).as("is given back").isEmpty();
    assertThat(tenants("GPU-1a") + tenants("GPU-2a")).isEqualTo(1);
  }

  @Test
  void decidesAnewOnAPodThatAsksForMoreGpusThanWereReserved() {
    bench.lead();
    reserve("t1", HeldReservationTest::whole);
    StoredPod pod = bench.pod("taker", null, 1, 2);
    create(pod, "t1");

    decideOn(pod);

    assertThat(GateBench.gpu(pod)).as("no node has two").isNull();
    assertThat(pod.gates).containsExactly(WatchedPod.GATE);
    assertThat(tenants("GPU-1a")).as("is given back").isZero();
  }

  @Test
  void confirmsNothingForAPodThatIsOnAnotherNode() {
    bench.lead();
    reserve("t1", HeldReservationTest::whole);
    StoredPod pod = bench.pod("taker", null, 1, 1);
    pod.node = "n2";
    bench.server.create(pod);
    bench.settle();

    assertThat(bench.controller().confirm("t1", pod.identity, pod.uid)).isFalse();

    assertThat(tenants("GPU-2a")).as("held whole").isEqualTo(-1);
  }

  @Test
  void countsAPodWhereItIsAndNotWhereCapacityWasReservedForIt() {
    bench.lead();
    reserve("t1", HeldReservationTest::whole);
    StoredPod pod = bench.pod("taker", null, 1, 1);
    assertThat(bench.controller().confirm("t1", pod.identity, pod.uid)).isTrue();
    assertThat(tenants("GPU-1a")).isEqualTo(-1);
    pod.node = "n2";
    bench.server.create(pod);
    bench.settle();

    assertThat(tenants("GPU-1a")).isZero();
    assertThat(tenants("GPU-2a")).as("held whole").isEqualTo(-1);
    assertThat(bench.controller().find("t1")).isEmpty();
    bench.remove(pod);
    assertThat(tenants("GPU-2a")).isZero();
  }

  @Test
  void believesAPodThatAnEarlierLeaderSentElsewhereThanReserved() {
    bench.lead();
    reserve("t1", HeldReservationTest::whole);
    StoredPod pod = bench.pod("taker", null, 1, 1);
    create(pod, "t1");
    PodGrant kept = bench.controller().find("t1").orElseThrow();
    bench.begin(
        new PersistedState(List.of(new PersistedState.Reserved("t1", kept)), LeaderState.NONE));
    assertThat(tenants("GPU-1a")).isEqualTo(-1);

    pod.gates.clear(); // what the earlier leader had on its way
    pod.annotations.put(CotenantAnnotations.DECISION, GrantAnnotations.EXCLUSIVE);
    pod.annotations.put(CotenantAnnotations.ASSIGNED_NODE, "n2");
    pod.annotations.put(CotenantAnnotations.ASSIGNED_GPU, "GPU-2a");
    pod.annotations.put(CotenantAnnotations.GRANTED_AT, bench.now.toString());
    bench.change(pod);

    assertThat(tenants("GPU-1a")).isZero();
    assertThat(tenants("GPU-2a")).as("held whole").isEqualTo(-1);
    assertThat(bench.controller().find("t1")).isEmpty();
  }

  @Test
  void decidesNothingInATermThatDidNotBegin() {
    List<WatchedNode> broken = Arrays.asList((WatchedNode) null);

    assertThatThrownBy(() -> bench.controller().begin(1, List.of(), broken, PersistedState.NOTHING))
        .isInstanceOf(NullPointerException.class);

    assertThat(bench.controller().cluster()).isEmpty();
    assertThat(bench.controller().term()).isEmpty();
  }
}
