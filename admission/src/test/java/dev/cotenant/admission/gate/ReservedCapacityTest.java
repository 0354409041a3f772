package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.ledger.CapacityRequest;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.state.LeaderState;
import dev.cotenant.admission.state.PersistedState;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Capacity that is granted to others than held pods. */
class ReservedCapacityTest {
  private final GateBench bench = new GateBench(1);

  private CapacityRequest capacityRequest(String admissionId) {
    return new CapacityRequest(admissionId, (Colocatable) bench.pod("to-come", null, 1, 1).request);
  }

  private Decision hold(String admissionId) {
    return bench.controller().allocate(capacityRequest(admissionId), this::whole).orElseThrow();
  }

  private Decision whole(ClusterSnapshot cluster) {
    return new SharingDecider(FallbackInterferenceModel.builtIn())
        .decide(
            cluster,
            new PlacementRequest.Whole("w", 1, new ExclusiveCause.SeveralGpus(), Map.of()));
  }

  @Test
  void holdsCapacityUntilItLapses() {
    bench.lead();

    assertThat(hold("t1")).isInstanceOf(Decision.Admitted.class);
    assertThat(hold("t2")).isInstanceOf(Decision.Held.class);
    StoredPod waits = bench.hold("waits", null, 1);
    assertThat(GateBench.gpu(waits)).isNull();

    bench.later(Duration.ofMinutes(2));

    assertThat(bench.controller().find("t1")).isEmpty();
    assertThat(GateBench.gpu(waits)).isEqualTo("GPU-1a");
  }

  @Test
  void givesWhatAnAdmissionIdHeldBackBeforeItHoldsAnew() {
    bench.lead();

    hold("t1");

    assertThat(hold("t1")).isInstanceOf(Decision.Admitted.class);
  }

  @Test
  void keepsConfirmedCapacityUntilThePodIsGone() {
    bench.lead();
    hold("t1");
    StoredPod taker = bench.pod("taker", null, 1, 1);
    taker.annotations.clear();
    taker.node = "n1";

    assertThat(bench.controller().confirm("t1", taker.identity, taker.uid)).isTrue();
    assertThat(bench.controller().confirm("t1", taker.identity, taker.uid)).isTrue();
    assertThat(bench.controller().confirm("t1", taker.identity, "uid-other")).isFalse();
    bench.server.create(taker);
    bench.later(Duration.ofHours(1));

    assertThat(bench.controller().find("t1")).map(PodGrant::key).contains(taker.uid);
    assertThat(hold("t2")).isInstanceOf(Decision.Held.class);
    bench.remove(taker);
    assertThat(bench.controller().find("t1")).isEmpty();
    assertThat(hold("t2")).isInstanceOf(Decision.Admitted.class);
  }

  @Test
  void confirmsNothingForAPodThatIsGone() {
    bench.lead();
    StoredPod taker = bench.pod("taker", null, 1, 1);
    bench.server.create(taker);
    bench.remove(taker);
    hold("t1");

    assertThat(bench.controller().confirm("t1", taker.identity, taker.uid)).isFalse();
    assertThat(bench.controller().confirm("t9", taker.identity, "uid-new")).isFalse();
  }

  @Test
  void givesCapacityBackThatIsReleased() {
    bench.lead();
    hold("t1");

    assertThat(bench.controller().release("t1")).isTrue();
    assertThat(bench.controller().release("t1")).isFalse();
    assertThat(hold("t2")).isInstanceOf(Decision.Admitted.class);
  }

  @Test
  void decidesNothingWhereItDoesNotLead() {
    assertThat(bench.controller().allocate(capacityRequest("t1"), this::whole)).isEmpty();
    assertThat(bench.controller().cluster()).isEmpty();
    assertThat(bench.controller().find("t1")).isEmpty();
    assertThat(bench.controller().confirm("t1", new PodIdentity("team-a", "p", null), "uid"))
        .isFalse();
  }

  @Test
  void countsWhatAnEarlierLeaderReserved() {
    bench.lead();
    hold("t1");
    PodGrant kept = bench.controller().find("t1").orElseThrow();

    bench.begin(
        new PersistedState(List.of(new PersistedState.Reserved("t1", kept)), LeaderState.NONE));

    assertThat(bench.controller().find("t1")).contains(kept);
    assertThat(hold("t2")).isInstanceOf(Decision.Held.class);
  }
}
