package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.ForeignGpus;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.TrackedPod.InFlight;
import dev.cotenant.admission.inventory.Claims;
import dev.cotenant.admission.inventory.GrantReader;
import dev.cotenant.admission.inventory.GrantReader.Read;
import dev.cotenant.admission.inventory.GrantTrust;
import dev.cotenant.admission.ledger.Occupant;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.patch.GrantAnnotations;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.admission.state.PersistedState;
import dev.cotenant.domain.cluster.GpuSnapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Processes the events of pods and updates the ledger. Capacity is released when a pod is gone or
 * finished, not when its deletion begins, and never by time.
 */
final class PodEvents {
  private final GatePorts ports;
  private final Term term;
  private final GrantReader reader;
  private final GrantTrust trusted;
  private final OutOfMemory outOfMemory;
  private final LeaderStateWriter stateWriter;

  /** Pods with unreadable grants, by uid. */
  private final Map<String, TrackedPod> distrusted = new TreeMap<>();

  PodEvents(GatePorts ports, Term term, OutOfMemory outOfMemory, LeaderStateWriter stateWriter) {
    this.stateWriter = stateWriter;
    this.ports = ports;
    this.term = term;
    this.outOfMemory = outOfMemory;
    this.reader = new GrantReader(ports.predictor(), term.inventory);
    this.trusted = new GrantTrust(ports.optedIn());
  }

  /** A pod of the list at the begin of the term; actions of earlier leaders are not repeated. */
  void listed(WatchedPod pod) {
    TrackedPod made =
        new TrackedPod(
            pod,
            pod.isGatedByUsAlone() || mayBeInFlight(pod) ? InFlight.EARLIER_TERM : InFlight.NONE);
    made.reportedOutOfMemory = stateWriter.isNoticed(pod.uid());
    stateWriter.restore(made);
    term.pods.put(pod.uid(), made);
  }

  /** A reservation of an earlier term; the annotations of a pod that took one have precedence. */
  void reserved(PersistedState.Reserved reserved) {
    PodGrant grant = reserved.grant();
    boolean taken = !grant.key().equals(reserved.token());
    if (taken) {
      term.tokenHolders.put(grant.key(), reserved.token());
    }
    TrackedPod pod = term.find(grant.key());
    boolean hasOwnGrant =
        pod != null
            && !pod.isGated()
            && pod.latest().annotations().containsKey(CotenantAnnotations.ASSIGNED_GPU);
    if (!hasOwnGrant) {
      term.grants.put(grant);
    }
  }

  /** Adds the GPUs that the grant of a pod names to the inventory. */
  void nameGpus(WatchedPod pod) {
    if (pod.isLive() && !pod.hasOurGate() && trusted.trusts(pod)) {
      reader.name(pod);
    }
  }

  /** A node is new: pods with a grant may be on it. */
  void nodeAdded(String node) {
    for (TrackedPod pod : List.copyOf(term.pods.values())) {
      WatchedPod state = pod.latest();
      boolean there =
          node.equals(state.scheduling().node())
              || node.equals(state.annotations().get(CotenantAnnotations.ASSIGNED_NODE));
      if (there && !pod.isGated() && term.grants.find(pod.uid()).isEmpty()) {
        nameGpus(state);
        settle(pod);
      }
    }
  }

  /** The GPUs of unreadable grants may be known now. */
  void rereadGrants() {
    for (TrackedPod pod : List.copyOf(distrusted.values())) {
      if (term.find(pod.uid()) == null || term.grants.find(pod.uid()).isPresent()) {
        distrusted.remove(pod.uid());
      } else {
        settle(pod);
      }
    }
  }

  void seen(WatchedPod pod) {
    if (term.isGone(pod.uid())) {
      return;
    }
    TrackedPod known = term.find(pod.uid());
    if (known == null) {
      known = new TrackedPod(pod, InFlight.NONE);
      term.pods.put(pod.uid(), known);
      settle(known);
    } else if (known.accept(pod)) {
      settle(known);
    }
  }

  void gone(String uid) {
    end(uid);
  }

  private void end(String uid) {
    TrackedPod pod = term.find(uid);
    if (pod != null && pod.pendingWrite != null) {
      Writes.settled(pod);
    }
    term.grants.release(uid);
    term.claims.remove(uid);
    term.occupancy.remove(uid);
    term.tokenHolders.remove(uid);
    term.forget(uid, ports.clock().instant());
  }

  /** Updates the ledger by the pod's latest state. */
  void settle(TrackedPod pod) {
    WatchedPod state = pod.latest();
    term.placements.put(
        pod.uid(), state.pod().namespace(), state.footprint(), state.scheduling().node());
    if (state.life().unschedulable() != null) {
      term.unschedulable.add(pod.uid());
    }
    if (pod.isGated()) {
      gated(pod, state);
      return;
    }
    if (isReleased(state) || (pod.inFlight == InFlight.EARLIER_TERM && isUnbound(state))) {
      released(pod);
      return;
    }
    boolean wasUnbound = term.gated.remove(pod.uid()) != null;
    wasUnbound |= term.released.remove(pod.uid()) != null;
    if (wasUnbound || pod.pendingWrite != null) {
      Writes.settled(pod);
      pod.markUngated();
    }
    running(pod, state);
    if (!state.isLive()) {
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
    boolean wasGated = term.gated.remove(pod.uid()) != null;
    if (wasGated && pod.inFlight != InFlight.EARLIER_TERM) {
      Writes.settled(pod);
    }
    pod.markUngated();
    term.released.put(pod.uid(), pod);
  }

  private void gated(TrackedPod pod, WatchedPod state) {
    boolean isNew = term.gated.put(pod.uid(), pod) == null;
    if (isNew) {
      pod.reported = StatusReport.read(state);
    }
    if (!state.isGatedByUsAlone()) {
      pod.markGatedByOthers();
    } else {
      pod.markGatedByUsAlone(ports.clock().instant());
    }
  }

  private void running(TrackedPod pod, WatchedPod state) {
    @Nullable PodGrant grant = term.grants.find(pod.uid()).orElse(null);
    if (grant != null && grant.isNomination()) {
      term.grants.release(grant.key()); // another scheduler bound it
      grant = null;
    }
    boolean contradicted =
        grant != null && (pod.isElsewhereThan(grant) || hasOtherGrant(state, grant));
    boolean unread = grant == null || grant.state() instanceof PodGrant.Allocated || contradicted;
    if (unread && state.isLive()) {
      grant = reread(pod, state, grant);
    }
    if (grant == null) {
      foreign(pod, state);
      return;
    }
    @Nullable Instant startedAt = state.life().startedAt();
    PodGrant.State now =
        startedAt == null ? new PodGrant.Bound() : new PodGrant.Observed(startedAt);
    if (state.scheduling().node() == null && Claims.named(state).isPresent()) {
      term.unclaimed.add(pod.uid());
    }
    if (!now.equals(grant.state()) && state.isLive()) {
      term.grants.put(grant.in(now));
    }
    if (state.life().outOfMemory()) {
      outOfMemory.noticed(pod, grant);
    }
  }

  /**
   * Whether a pod with a reservation has annotations of another grant: an earlier leader may have
   * ungated it elsewhere without persisting that.
   */
  private boolean hasOtherGrant(WatchedPod state, PodGrant grant) {
    @Nullable String assigned = state.annotations().get(CotenantAnnotations.ASSIGNED_GPU);
    if (assigned == null || term.reserved(state.uid()) == null) {
      return false;
    }
    return !assigned.equals(String.join(",", grant.gpus()))
        || (reader.read(state, ports.policies().get()) instanceof Read.Granted(PodGrant found)
            && !isSame(grant, found));
  }

  /** Marks a grant as unconfirmed while an ungate with it may be in flight. */
  boolean markUnconfirmed(String uid) {
    @Nullable PodGrant grant = term.grants.find(uid).orElse(null);
    if (grant != null) {
      term.grants.put(grant.in(new PodGrant.Allocated(null)));
    }
    return grant != null;
  }

  /** Reads the grant anew; drops the reservation where the grant is another. */
  private @Nullable PodGrant reread(TrackedPod pod, WatchedPod state, @Nullable PodGrant before) {
    @Nullable PodGrant found = readGrant(pod, state, before);
    if (before != null && (found == null || !found.gpus().equals(before.gpus()))) {
      term.tokenHolders.remove(pod.uid());
    }
    return found;
  }

  /** Reads the grant of this term, whose answer is outstanding, or of an earlier one. */
  private @Nullable PodGrant readGrant(
      TrackedPod pod, WatchedPod state, @Nullable PodGrant expected) {
    return switch (read(state, expected)) {
      case Read.Granted(PodGrant found) -> {
        PodGrant grant = expected != null && isSame(expected, found) ? expected : found;
        term.grants.put(grant.in(new PodGrant.Bound()));
        term.claims.put(state, grant);
        yield grant;
      }
      case Read.Nothing _ -> {
        dropExpected(expected);
        yield null;
      }
      case Read.Broken(String why) -> {
        dropExpected(expected);
        distrust(pod, why);
        yield null;
      }
    };
  }

  /** Reads the annotations; an expected grant needs no trust. */
  private Read read(WatchedPod state, @Nullable PodGrant expected) {
    Read read =
        expected != null || trusted.trusts(state)
            ? reader.read(state, ports.policies().get())
            : new Read.Nothing();
    boolean expectedSo =
        expected != null && read instanceof Read.Granted(PodGrant found) && isSame(expected, found);
    @Nullable String whyNot = expectedSo ? null : trusted.whyNot(state);
    boolean claims = state.annotations().containsKey(CotenantAnnotations.ASSIGNED_GPU);
    return whyNot != null && claims ? new Read.Broken(whyNot) : read;
  }

  private void dropExpected(@Nullable PodGrant expected) {
    if (expected != null) {
      term.grants.release(expected.key());
    }
  }

  private static boolean isSame(PodGrant expected, PodGrant found) {
    return expected.gpus().equals(found.gpus())
        && expected.extent() == found.extent()
        && expected.grantedAt().equals(found.grantedAt());
  }

  private void distrust(TrackedPod pod, String why) {
    if (distrusted.put(pod.uid(), pod) == null) {
      ports.listener().distrusted(pod.latest(), why);
      ports
          .cluster()
          .report(
              pod.latest(),
              StatusReport.warning("GrantUnreadable", why + "; its usage counts as unattributed"));
    }
  }

  /** A pod that uses GPUs without a grant. */
  private void foreign(TrackedPod pod, WatchedPod state) {
    @Nullable String node = node(state);
    if (node == null || !state.isLive()) {
      term.occupancy.remove(pod.uid());
      return;
    }
    ForeignGpus.Found found = found(state);
    List<String> there = new ArrayList<>();
    for (String uuid : found.uuids()) {
      @Nullable GpuSnapshot gpu = term.inventory.base().find(uuid).orElse(null);
      if (gpu != null && gpu.node().equals(node)) {
        there.add(uuid);
      }
    }
    String holder = state.pod().toString();
    if (there.size() == found.uuids().size() && !there.isEmpty()) {
      term.occupancy.put(new Occupant(pod.uid(), there, new Occupant.Alone(holder)), node);
    } else if (found.uuids().size() + found.others() > 0) {
      term.occupancy.put(pod.uid(), node, holder, Math.max(found.uuids().size(), found.others()));
    } else {
      term.occupancy.remove(pod.uid()); // its earlier annotations are no longer trusted
    }
  }

  private ForeignGpus.Found found(WatchedPod state) {
    ForeignGpus.Found annotated = ForeignGpus.of(state);
    int requested = ForeignGpus.requested(state.request());
    return trusted.trusts(state) || annotated.uuids().size() <= requested
        ? annotated
        : new ForeignGpus.Found(List.of(), requested);
  }

  /** The node that it runs on, or that its unreadable grant names. */
  private @Nullable String node(WatchedPod state) {
    @Nullable String bound = state.scheduling().node();
    if (bound != null) {
      return bound;
    }
    @Nullable String assigned = state.annotations().get(CotenantAnnotations.ASSIGNED_NODE);
    return assigned != null && term.inventory.node(assigned).isPresent() && trusted.trusts(state)
        ? assigned
        : null;
  }
}
