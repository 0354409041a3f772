package dev.cotenant.admission;

import dev.cotenant.admission.capacity.CapacityLedger;
import dev.cotenant.admission.capacity.LocalCapacityLedger;
import dev.cotenant.admission.decision.DecisionPorts;
import dev.cotenant.admission.decision.PodDecisions;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.TrustScope;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;

/** A ledger on a fixed cluster and what decides on it; the clock stands still. */
public final class CapacityBench {
  public static final Duration HOLD = Duration.ofMinutes(2);

  private final AtomicInteger ids = new AtomicInteger();
  private volatile Instant now = TestClusters.NOW;
  private final Ledger ledger = new Ledger(this::now, HOLD);
  private final PodDecisions decisions;
  private final CapacityLedger capacity;

  public CapacityBench(ClusterSnapshot cluster) {
    DecisionPorts ports =
        new DecisionPorts(
            () -> cluster,
            new FakePredictor(),
            new SharingDecider(FallbackInterferenceModel.builtIn()),
            this::now);
    decisions =
        new PodDecisions(
            ports,
            Policies.of(Policy.DEFAULT.with(copy -> copy.trust = new TrustScope("cluster"))),
            ledger);
    capacity = new LocalCapacityLedger(() -> cluster, ledger);
  }

  public Instant now() {
    return now;
  }

  public void pass(Duration time) {
    now = now.plus(time);
  }

  public String admissionId() {
    return "id-" + ids.incrementAndGet();
  }

  public Ledger ledger() {
    return ledger;
  }

  public PodDecisions decisions() {
    return decisions;
  }

  public CapacityLedger capacity() {
    return capacity;
  }
}
