package dev.cotenant.admission.gate.state;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.state.WriteState.InFlight;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pod in the current term: its known states [{@link PodStates}], its wait, the write about it,
 * and its last decision.
 */
public final class TrackedPod {
  private final PodStates states;
  private final QueueWait waiting;
  private final WriteState writes;
  private final NominationHistory nominations = new NominationHistory();

  private @Nullable PlacementRequest request;
  private Decision.@Nullable Admitted admitted;
  private @Nullable Refusal refused;
  private StatusReport reported = StatusReport.NONE;
  private boolean leakNoticed;
  private boolean outOfMemoryNoticed;
  private boolean claimMade;

  /**
   * @param first its first known state
   * @param inFlight whether an earlier write can still change it
   */
  public TrackedPod(WatchedPod first, InFlight inFlight) {
    this.states = new PodStates(first);
    this.waiting = new QueueWait(first.life().createdAt());
    this.writes = new WriteState(inFlight);
  }

  /** The writes about it. */
  public WriteState writes() {
    return writes;
  }

  /** Its wait in the queue. */
  public QueueWait waiting() {
    return waiting;
  }

  public String uid() {
    return latest().uid();
  }

  /** The last received state, which may be outdated. */
  public WatchedPod latest() {
    return states.latest();
  }

  /** The state for a write; null while a newer one is outstanding. */
  public @Nullable WatchedPod current() {
    return states.current();
  }

  public List<WatchedPod> states() {
    return states.all();
  }

  /** Adds a state, unless it is known or outdated; whether it was added. */
  public boolean accept(WatchedPod seen) {
    return states.accept(seen);
  }

  /** The API server no longer has these states. */
  public void drop(List<WatchedPod> before) {
    before.forEach(state -> states.drop(state.resourceVersion()));
  }

  /** Our gate is removed, for good. */
  void markUngated() {
    states.markUngated();
  }

  /** Whether our gate is present, by all known states. */
  public boolean isGated() {
    return !states.isUngated() && latest().hasOurGate();
  }

  /** Whether only our gate is present. */
  public boolean isGatedByUsAlone() {
    return !states.isUngated() && latest().isGatedByUsAlone();
  }

  /** Whether it is on another node than its grant. */
  public boolean isElsewhereThan(PodGrant grant) {
    String node = latest().scheduling().node();
    return node != null && !node.equals(grant.node());
  }

  /** Whether an ungate or a binding with a grant may be in flight. */
  public boolean mayHaveUngateInFlight() {
    return writes.mayGrant() || (states.isUngated() && latest().hasOurGate());
  }

  /** Its placement request in the last decision; null without one. */
  public @Nullable PlacementRequest request() {
    return request;
  }

  /** A decision about this request follows. */
  public void requests(PlacementRequest decided) {
    request = decided;
  }

  /** The last decision; null without one. */
  public @Nullable Decision decision() {
    Refusal last = refused;
    return last == null ? admitted : last.decision();
  }

  /** The last refusal; null without one. */
  public @Nullable Refusal refused() {
    return refused;
  }

  public void refuse(Refusal why) {
    refused = why;
    admitted = null;
  }

  public void admit(Decision.Admitted granted) {
    refused = null;
    admitted = granted;
  }

  public NominationHistory nominations() {
    return nominations;
  }

  /** The last status report. */
  public StatusReport reported() {
    return reported;
  }

  public void report(StatusReport report) {
    reported = report;
  }

  /** A grant without a node is noticed; whether for the first time. */
  public boolean noticeLeak() {
    boolean first = !leakNoticed;
    leakNoticed = true;
    return first;
  }

  /** A failure for lack of memory is noticed; whether for the first time. */
  public boolean noticeOutOfMemory() {
    boolean first = !outOfMemoryNoticed;
    outOfMemoryNoticed = true;
    return first;
  }

  /** Its ResourceClaim is made; whether for the first time. */
  public boolean makeClaim() {
    boolean first = !claimMade;
    claimMade = true;
    return first;
  }

  /** Its ResourceClaim has to be made again. */
  public void remakeClaim() {
    claimMade = false;
  }
}
