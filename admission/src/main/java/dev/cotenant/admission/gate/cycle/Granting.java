package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.assignment.GpuAssignment;
import dev.cotenant.admission.cluster.WatchedNode;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.decision.Objectives;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.state.PendingWrite;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.gate.write.Writes;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.patch.GrantAnnotations;
import dev.cotenant.admission.patch.PodPatches;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.prediction.EngineMemory;
import dev.cotenant.domain.prediction.Prediction;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Grants: the capacity is taken before the write that ungates the pod. */
final class Granting {
  private final GatePorts ports;
  private final Term term;
  private final Deciding deciding;
  private final Writes writes;

  Granting(GatePorts ports, Term term, Deciding deciding, Writes writes) {
    this.ports = ports;
    this.term = term;
    this.deciding = deciding;
    this.writes = writes;
  }

  /** Allocates capacity, then ungates the pod. */
  void grant(QueuedPod queued, Colocatable request, Decision.Admitted admitted, Instant now) {
    PodGrant grant =
        term.ledger()
            .distinct(PodGrant.of(queued.pod().uid(), queued.state().pod(), admitted, now));
    if (ports.isPlacedByScheduler(queued.state())) {
      release(queued, request, grant);
    } else {
      ungateGranted(queued, request, grant);
    }
  }

  /** Nominates capacity, then ungates the pod for its scheduler. */
  private void release(QueuedPod queued, Colocatable request, PodGrant nomination) {
    TrackedPod pod = queued.pod();
    @Nullable WatchedPod state = pod.current();
    if (state == null) {
      throw new IllegalStateException("nominated " + pod.uid() + " without a current state");
    }
    pod.admit(nomination.admitted());
    term.ledger().nominate(nomination);
    writes.send(
        pod,
        state,
        new PendingWrite.Release(nomination),
        PodPatches.release(state, GrantAnnotations.reason(nomination.admitted())));
    reportWarnings(state, request, nomination.admitted());
  }

  /**
   * What of the pod's latency objective has no effect, and what its engine takes beyond its need.
   */
  private void reportWarnings(WatchedPod state, Colocatable request, Decision.Admitted admitted) {
    Objectives.withoutEffect(request, admitted.grants().getFirst().prediction())
        .forEach(line ->
            ports.cluster().report(state, StatusReport.warning("ObjectiveNotEnforced", line)));
    Prediction prediction = admitted.grants().getFirst().prediction();
    EngineMemory engine = prediction == null ? null : prediction.engine();
    if (engine != null && !engine.advice().isEmpty()) {
      ports.cluster().report(state, StatusReport.warning("EngineMemory", engine.advice()));
    }
  }

  /** Allocates this capacity, then ungates the pod. */
  void ungateGranted(QueuedPod queued, Colocatable request, PodGrant grant) {
    TrackedPod pod = queued.pod();
    WatchedPod state = pod.current();
    Decision.Admitted admitted = grant.admitted();
    @Nullable WatchedNode node = term.cluster().node(grant.node()).orElse(null);
    if (state == null || node == null) {
      throw new IllegalStateException("granted " + pod.uid() + " capacity where it cannot be sent");
    }
    pod.admit(admitted);
    term.ledger().allocate(state, grant);
    GpuAssignment gpuAssignment = GpuAssignment.of(deciding.policy(request).gpuAssignment());
    writes.send(
        pod,
        state,
        new PendingWrite.UngateGranted(grant, grant.grantedAt()),
        PodPatches.grant(state, grant, node, gpuAssignment));
    gpuAssignment
        .warnings(request, admitted)
        .forEach(warning ->
            ports.cluster().report(state, StatusReport.warning("GpuAssignment", warning)));
    reportWarnings(state, request, admitted);
  }

  /** Removes our gate, whether or not others are present. */
  void ungate(QueuedPod queued, String why) {
    if (queued.pod().isGated()) {
      unmanage(queued.pod(), why);
    }
  }

  /** Leaves a pod to its scheduler without a grant. */
  void unmanage(TrackedPod pod, String why) {
    WatchedPod state = pod.current();
    boolean free =
        pod.writes().areSettled() && !ports.clock().instant().isBefore(pod.writes().notBefore());
    if (free && state != null) {
      term.ledger().withdraw(pod.uid());
      writes.send(pod, state, new PendingWrite.UngateUnmanaged(why), PodPatches.ungate(state, why));
    }
  }
}
