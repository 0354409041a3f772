package dev.cotenant.admission.gate.events;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.persistence.LeaderStateWriter;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.gate.state.WriteState.InFlight;
import dev.cotenant.admission.gate.write.OutOfMemory;
import dev.cotenant.admission.gate.write.UngateReports;
import dev.cotenant.admission.gate.write.Writes;
import dev.cotenant.admission.inventory.GrantTrust;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.patch.GrantAnnotations;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.admission.state.PersistedState;
import java.util.List;

/**
 * Processes the events of pods and updates the ledger. Capacity is released when a pod is gone or
 * finished, not when its deletion begins, and never by time.
 */
public final class PodEvents {
  private final GatePorts ports;
  private final Term term;
  private final RunningPods running;
  private final GrantTrust trusted;
  private final LeaderStateWriter stateWriter;
  private final UngateReports reports;

  public PodEvents(
      GatePorts ports,
      Term term,
      OutOfMemory outOfMemory,
      LeaderStateWriter stateWriter,
      UngateReports reports) {
    this.stateWriter = stateWriter;
    this.reports = reports;
    this.ports = ports;
    this.term = term;
    this.trusted = new GrantTrust(ports.optedIn(), stateWriter::isRecorded);
    this.running = new RunningPods(ports, term, trusted, outOfMemory);
  }

  /** A pod in the initial list of the term; actions of earlier leaders are not repeated. */
  public void listed(WatchedPod pod) {
    TrackedPod made =
        new TrackedPod(
            pod,
            pod.isGatedByUsAlone() || mayBeInFlight(pod) ? InFlight.EARLIER_TERM : InFlight.NONE);
    if (stateWriter.isNoticed(pod.uid())) {
      made.noticeOutOfMemory();
    }
    stateWriter.restore(made);
    term.pods().track(made);
  }

  /** A reservation of an earlier term; the annotations of its pod take precedence. */
  public void reserved(PersistedState.Reserved reserved) {
    PodGrant grant = reserved.grant();
    boolean taken = !grant.key().equals(reserved.admissionId());
    if (taken) {
      term.ledger().restoreHolder(grant.key(), reserved.admissionId());
    }
    TrackedPod pod = term.pods().find(grant.key());
    boolean hasOwnGrant =
        pod != null
            && !pod.isGated()
            && pod.latest().annotations().containsKey(CotenantAnnotations.ASSIGNED_GPU);
    if (!hasOwnGrant) {
      term.ledger().allocate(grant);
    }
  }

  /** A new node: granted pods may already be bound to it. */
  public void nodeAdded(String node) {
    for (TrackedPod pod : List.copyOf(term.pods().all())) {
      WatchedPod state = pod.latest();
      boolean there =
          node.equals(state.scheduling().node())
              || node.equals(state.annotations().get(CotenantAnnotations.ASSIGNED_NODE));
      if (there && !pod.isGated() && term.ledger().find(pod.uid()).isEmpty()) {
        running.nameGpus(state);
        settle(pod);
      }
    }
  }

  /** Adds the GPUs that the grant of a pod names to the inventory. */
  public void nameGpus(WatchedPod pod) {
    running.nameGpus(pod);
  }

  /** The GPUs of unreadable grants may be known now. */
  public void rereadGrants() {
    running.unreadable().forEach(this::settle);
  }

  /** A pod is new or has changed. */
  public void seen(WatchedPod pod) {
    if (term.pods().isGone(pod.uid())) {
      return;
    }
    TrackedPod known = term.pods().find(pod.uid());
    if (known == null) {
      known = new TrackedPod(pod, InFlight.NONE);
      term.pods().track(known);
      settle(known);
    } else if (known.accept(pod)) {
      settle(known);
    }
  }

  public void gone(String uid) {
    end(uid);
  }

  private void end(String uid) {
    TrackedPod pod = term.pods().find(uid);
    if (pod != null && pod.writes().pending() != null) {
      Writes.settled(pod);
    }
    term.end(uid, ports.clock().instant());
  }

  /** Updates the ledger by the pod's latest state. */
  public void settle(TrackedPod pod) {
    WatchedPod state = pod.latest();
    term.cluster().place(state);
    if (state.life().unschedulable() != null) {
      term.suspect(pod.uid());
    }
    if (pod.isGated()) {
      gated(pod, state);
      return;
    }
    term.preemptions().end(pod.uid()); // an earlier leader may have removed the gate
    if (isReleased(state)
        || (pod.writes().inFlight() == InFlight.EARLIER_TERM && isUnbound(state))) {
      released(pod);
      return;
    }
    boolean wasUnbound = term.pods().leave(pod.uid());
    if (wasUnbound || pod.writes().pending() != null) {
      Writes.settled(pod);
      term.pods().ungate(pod);
    }
    running.settle(pod, state);
    reports.seen(pod);
    if (!state.isLive()) {
      if (state.life().phase() == WatchedPod.Phase.SUCCEEDED
          && term.ledger().find(pod.uid()).isPresent()) {
        term.complete(state);
      }
      end(pod.uid());
    }
  }

  /** Whether an ungated pod is to be bound through the extender. */
  private boolean isReleased(WatchedPod pod) {
    return isUnbound(pod) && ports.isPlacedByScheduler(pod);
  }

  /** Whether a leader of an earlier term may have sent a binding; policies may have changed. */
  private boolean mayBeInFlight(WatchedPod pod) {
    String decision = pod.annotations().getOrDefault(CotenantAnnotations.DECISION, "");
    return isUnbound(pod)
        && (ports.isPlacedByScheduler(pod) || decision.equals(GrantAnnotations.NOMINATED));
  }

  /** Whether a pod has neither our gate nor a grant nor a node. */
  private boolean isUnbound(WatchedPod pod) {
    boolean granted =
        pod.annotations().containsKey(CotenantAnnotations.ASSIGNED_GPU) && trusted.trusts(pod);
    return pod.isLive() && !pod.hasOurGate() && pod.scheduling().node() == null && !granted;
  }

  private void released(TrackedPod pod) {
    boolean wasGated = term.pods().release(pod);
    if (wasGated && pod.writes().inFlight() != InFlight.EARLIER_TERM) {
      Writes.settled(pod);
    }
  }

  private void gated(TrackedPod pod, WatchedPod state) {
    boolean isNew = term.pods().gate(pod);
    if (isNew) {
      pod.report(StatusReport.read(state));
    }
    if (!state.isGatedByUsAlone()) {
      pod.waiting().markGatedByOthers();
    } else {
      pod.waiting().markGatedByUsAlone(ports.clock().instant());
    }
  }
}
