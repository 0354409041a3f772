package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.FakePredictor;
import dev.cotenant.admission.capacity.CapacityLedger;
import dev.cotenant.admission.capacity.GateCalls;
import dev.cotenant.admission.capacity.GateCapacityLedger;
import dev.cotenant.admission.capacity.NotLeadingException;
import dev.cotenant.admission.gate.port.GateListener;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.port.GateSettings;
import dev.cotenant.admission.gate.port.MemoryCorrection;
import dev.cotenant.admission.ledger.CapacityRequest;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.state.LeaderStateSaver;
import dev.cotenant.admission.supervision.FakeProcess;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GateCapacityLedgerTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

  private final FakeGpus gpus = new FakeGpus(Map.of("n1", List.of("GPU-a")));
  private final SharingDecider decider = new SharingDecider(FallbackInterferenceModel.builtIn());
  private final FakeProcess process = new FakeProcess();
  private final GateLoop loop =
      new GateLoop(
          new GatePorts(
              () -> gpus.measure(NOW, List.of(), Set.of()),
              new FakePredictor(),
              decider,
              new Replica.Nowhere(),
              LeaderStateSaver.NONE,
              () -> Policies.of(Policy.DEFAULT),
              _ -> true,
              _ -> DeviceCatalogue.builtIn().find("a100-40gb"),
              MemoryCorrection.NONE,
              GateListener.NONE,
              () -> NOW),
          GateSettings.DEFAULT,
          process.supervisor);
  private final CapacityLedger capacity =
      new GateCapacityLedger(new GateCalls(loop, Optional::empty));
  private final CapacityRequest capacityRequest =
      new CapacityRequest("t1", (Colocatable) new GateBench(1).pod("to-come", null, 1, 1).request);

  private Decision whole(ClusterSnapshot cluster) {
    return decider.decide(
        cluster, new PlacementRequest.Whole("w", 1, new ExclusiveCause.SeveralGpus(), Map.of()));
  }

  @AfterEach
  void end() {
    loop.close();
  }

  @Test
  void holdsConfirmsAndReleases() {
    loop.begin(1, List.of(), gpus.nodes());

    CapacityLedger.Allocation held = capacity.allocate(capacityRequest, this::whole);

    assertThat(held.decision()).isInstanceOf(Decision.Admitted.class);
    assertThat(held.until()).isEqualTo(NOW.plus(Duration.ofMinutes(2)));
    assertThat(capacity.state("t1")).isEqualTo(GrantState.ALLOCATED);
    assertThat(capacity.gone(Set.of("t1", "t2"))).containsExactly("t2");
    assertThat(capacity.confirm("t1", new PodIdentity("team-a", "p", null), "uid-1")).isTrue();
    assertThat(capacity.state("t1")).isEqualTo(GrantState.BOUND);
    assertThat(capacity.gone(Set.of("t1", "t2"))).containsExactly("t2");
    assertThat(capacity.release("t1")).isTrue();
    assertThat(capacity.state("t1")).isEqualTo(GrantState.RELEASED);
    assertThat(capacity.gone(Set.of("t1", "t2"))).containsExactlyInAnyOrder("t1", "t2");
  }

  @Test
  void saysThatItDoesNotLead() {
    assertThatThrownBy(capacity::withGrants).isInstanceOf(NotLeadingException.class);
    assertThatThrownBy(() -> capacity.allocate(capacityRequest, this::whole))
        .isInstanceOf(NotLeadingException.class);
    assertThatThrownBy(() -> capacity.release("t1")).isInstanceOf(NotLeadingException.class);
  }
}
