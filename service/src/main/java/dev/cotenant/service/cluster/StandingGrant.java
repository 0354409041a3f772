package dev.cotenant.service.cluster;

import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.ledger.LedgerEntry;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.targeting.Targeting;
import dev.cotenant.domain.decision.Decision;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Capacity that a pod holds now, by the ledger of this process or by the gate.
 *
 * @param token tells it from what another pod holds
 * @param isTaken whether the pod is known to be there
 * @param admitted what it holds
 * @param model which model it runs; null where it does not say
 * @param targeting how it gets onto its GPU
 */
public record StandingGrant(
    String token,
    boolean isTaken,
    Decision.Admitted admitted,
    @Nullable String model,
    Targeting targeting) {
  private static final Set<GrantState> BOUND = Set.of(GrantState.BOUND, GrantState.OBSERVED);

  /** Of the ledger of this process. */
  public static List<StandingGrant> of(Ledger ledger, Policies policies) {
    return ledger.entries().stream()
        .map(entry ->
            new StandingGrant(
                entry.claim().token(),
                entry.state() instanceof LedgerEntry.Bound,
                entry.admitted(),
                entry.claim().request().workload().model(),
                targeting(policies, entry.claim().pod())))
        .toList();
  }

  /** Of the gate controller; none where it does not lead. */
  public static List<StandingGrant> of(GateView view, Policies policies) {
    return view.granted().values().stream()
        .map(holding ->
            new StandingGrant(
                holding.pod().uid(),
                BOUND.contains(holding.state()),
                holding.decision(),
                model(holding.pod().request()),
                targeting(policies, holding.pod().pod())))
        .toList();
  }

  private static Targeting targeting(Policies policies, PodIdentity pod) {
    return Targeting.of(policies.of(pod.namespace()).targeting());
  }

  private static @Nullable String model(PodRequest request) {
    return request instanceof PodRequest.Colocatable asked ? asked.workload().model() : null;
  }
}
