package dev.cotenant.service.cluster;

import dev.cotenant.admission.assignment.GpuAssignment;
import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.inventory.GrantReader;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.ledger.Ledger;
import dev.cotenant.admission.ledger.LedgerEntry;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.workload.Workload;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Capacity that a pod holds now, by the ledger of this process or by the gate.
 *
 * @param admissionId unique among grants
 * @param pod its name
 * @param isTaken whether the pod is known to be there
 * @param admitted what it holds
 * @param workload what it runs; empty where it names no model
 * @param gpuAssignment how it gets onto its GPU
 */
public record ActiveGrant(
    String admissionId,
    PodIdentity pod,
    boolean isTaken,
    Decision.Admitted admitted,
    Optional<Workload> workload,
    GpuAssignment gpuAssignment) {
  private static final Set<GrantState> BOUND = Set.of(GrantState.BOUND, GrantState.OBSERVED);

  /** Active grants of this process's ledger. */
  public static List<ActiveGrant> of(Ledger ledger, Policies policies) {
    return ledger.entries().stream()
        .map(entry ->
            new ActiveGrant(
                entry.capacityRequest().admissionId(),
                entry.capacityRequest().pod(),
                entry.state() instanceof LedgerEntry.Bound,
                entry.admitted(),
                GrantReader.workload(entry.capacityRequest().request()),
                gpuAssignment(policies, entry.capacityRequest().pod())))
        .toList();
  }

  /** Of the gate controller; none where it does not lead. */
  public static List<ActiveGrant> of(GateView view, Policies policies) {
    return view.granted().values().stream()
        .map(holding ->
            new ActiveGrant(
                holding.pod().uid(),
                holding.pod().pod(),
                BOUND.contains(holding.state()),
                holding.decision(),
                GrantReader.workload(holding.pod().request()),
                gpuAssignment(policies, holding.pod().pod())))
        .toList();
  }

  private static GpuAssignment gpuAssignment(Policies policies, PodIdentity pod) {
    return GpuAssignment.of(policies.of(pod.namespace()).gpuAssignment());
  }

  /** The registered graph that it runs; null where it names none. */
  @Nullable String model() {
    return workload.filter(Workload::mayBeGraph).map(Workload::model).orElse(null);
  }

  /** Whether an engine of a language model runs, whose constants are learned. */
  boolean isOfEngine() {
    return workload.map(Workload::engine).isPresent();
  }

  /** Uuids of its GPUs. */
  List<String> gpus() {
    return admitted.grants().stream().map(Grant::gpuUuid).toList();
  }

  /** Whether all its predictions are by a version. */
  boolean isBy(String version) {
    return admitted.grants().stream()
        .map(Grant::prediction)
        .allMatch(known -> known != null && known.modelVersion().equals(version));
  }
}
