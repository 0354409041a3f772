package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.policy.TrustScope;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.interference.risk.RiskModel;
import dev.cotenant.interference.risk.RiskModels;
import dev.cotenant.interference.risk.RiskPrior;
import dev.cotenant.interference.risk.SpeedMeasurement;
import dev.cotenant.interference.risk.VictimColocation;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pods of two namespaces on one GPU. */
class TrustDomainTest {
  private final GateBench bench = new GateBench(1);

  private StoredPod hold(String namespace, String name) {
    return hold(namespace, name, 1);
  }

  private StoredPod hold(String namespace, String name, int batch) {
    StoredPod pod = bench.pod(new PodIdentity(namespace, name, null), "densenet121", batch, 1);
    pod.gates.add(WatchedPod.GATE);
    bench.server.create(pod);
    bench.settle();
    return pod;
  }

  @Test
  void doNotShareByDefault() {
    bench.lead();

    assertThat(GateBench.gpu(hold("team-a", "first"))).isEqualTo("GPU-1a");
    StoredPod other = hold("team-b", "other");
    assertThat(GateBench.gpu(other)).isNull();
    Decision decision = bench.controller().view().waiting(other.identity).orElseThrow().decision();
    assertThat(decision)
        .isEqualTo(new Decision.Held(List.of(new Reason.TrustDomainMismatch("GPU-1a", "n1"))));
    assertThat(GateBench.gpu(hold("team-a", "second"))).isEqualTo("GPU-1a");
  }

  @Test
  void shareWhereTheirPoliciesNameOneDomain() {
    bench.policy = bench.policy.with(copy -> copy.trust = new TrustScope("cluster"));
    bench.lead();

    assertThat(GateBench.gpu(hold("team-a", "first"))).isEqualTo("GPU-1a");
    assertThat(GateBench.gpu(hold("team-b", "other"))).isEqualTo("GPU-1a");
  }

  /** The refusal of a pod says nothing of a pod of another namespace with the same request. */
  @Test
  void eachIsRefusedByTheRisksOfItsOwnNamespace() {
    bench.policy = bench.policy.with(copy -> copy.trust = new TrustScope("cluster"));
    bench.predictor = World.HUNGRY;
    RiskModel slow = new RiskModel(RiskPrior.STATED);
    VictimColocation beside =
        new VictimColocation(
            "a100-40gb",
            LearnedRisks.job("densenet121", 1),
            List.of(LearnedRisks.job("densenet121", 2)));
    for (int i = 0; i < 8; i++) {
      slow.learn(new SpeedMeasurement(beside, 0.5, 0.03));
    }
    bench.risks =
        namespace -> namespace.equals("team-a") ? slow : RiskModels.UNTRAINED.of(namespace);
    bench.lead();

    assertThat(GateBench.gpu(hold("team-c", "tenant", 2))).isEqualTo("GPU-1a");
    StoredPod refused = hold("team-a", "refused");
    assertThat(bench.codes(refused)).containsExactly("RiskExceeded");
    assertThat(GateBench.gpu(hold("team-b", "other"))).isEqualTo("GPU-1a");
  }
}
