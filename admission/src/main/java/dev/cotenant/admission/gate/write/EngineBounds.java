package dev.cotenant.admission.gate.write;

import dev.cotenant.admission.decision.PlacementRequests;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bounds on the memory of engines with a share, by what is known of them now. Where constants
 * that were learned since the grant raise a bound, the larger one counts until the pod ends, or
 * until another leader comes, for which that of the grant or of the constants in force counts. A
 * smaller one changes nothing: pods that are placed later get it.
 */
public final class EngineBounds {
  private final GatePorts ports;
  private final Term term;

  public EngineBounds(GatePorts ports, Term term) {
    this.ports = ports;
    this.term = term;
  }

  /** Raises the bounds that are too small, and reports each on its pod. */
  public void raise() {
    PlacementRequests requests = new PlacementRequests(ports.predictor(), ports.policies().get());
    for (PodGrant grant : List.copyOf(term.ledger().all())) {
      @Nullable TrackedPod pod = term.pods().find(grant.key());
      if (pod != null
          && pod.latest().request() instanceof Colocatable request
          && request.workload().engine() != null
          && runs(grant)) {
        raise(pod, request, grant, requests);
      }
    }
  }

  /** Other grants are compared with the written annotations, or are decided on again. */
  private static boolean runs(PodGrant grant) {
    return grant.extent() == PodGrant.Extent.SHARE
        && (grant.state() instanceof PodGrant.Bound || grant.state() instanceof PodGrant.Observed);
  }

  private void raise(
      TrackedPod pod, Colocatable request, PodGrant grant, PlacementRequests requests) {
    Grant granted = grant.admitted().grants().getFirst();
    @Nullable Prediction before = granted.prediction();
    @Nullable Prediction now = predicted(request, granted.gpuUuid(), requests);
    if (before == null || now == null) {
      return;
    }
    MemorySize upper = before.peakMemory().upper();
    if (now.peakMemory().upper().isAtMost(upper)) {
      return;
    }
    Prediction raised = now.withUtilization(before.utilization());
    term.ledger()
        .allocate(
            grant.with(
                new Decision.Admitted(
                    List.of(new Grant(granted.gpuUuid(), granted.node(), raised)),
                    grant.admitted().evidence())));
    ports
        .cluster()
        .report(
            pod.latest(),
            StatusReport.warning(
                "MemoryBoundRaised",
                "upper bound on memory is "
                    + raised.peakMemory().upper()
                    + " by the constants of its engine in force now, was "
                    + upper
                    + " at its grant; the larger counts until it ends"));
  }

  private @Nullable Prediction predicted(
      Colocatable request, String uuid, PlacementRequests requests) {
    @Nullable GpuSnapshot gpu = term.cluster().gpus().find(uuid).orElse(null);
    return gpu != null
            && requests.about(
                    request, new ClusterSnapshot(term.cluster().gpus().takenAt(), List.of(gpu)))
                instanceof PlacementRequest.Share share
        ? share.predictions().get(gpu.device().id())
        : null;
  }
}
