package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.policy.TrustScope;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Reason;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Pods of two namespaces on one GPU. */
class TrustDomainTest {
  private final GateBench bench = new GateBench(1);

  private StoredPod hold(String namespace, String name) {
    StoredPod pod = bench.pod(new PodIdentity(namespace, name, null), "densenet121", 1, 1);
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
    bench.policy = bench.policy.withTrust(new TrustScope("cluster"));
    bench.lead();

    assertThat(GateBench.gpu(hold("team-a", "first"))).isEqualTo("GPU-1a");
    assertThat(GateBench.gpu(hold("team-b", "other"))).isEqualTo("GPU-1a");
  }
}
