package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.ledger.PodGrant;
import dev.cotenant.admission.report.StatusReport;
import dev.cotenant.admission.state.LeaderState;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A pod in the current term: its known states and its pending work.
 *
 * <p>Resource versions are opaque and have no order. But some changes are final: a removed gate, a
 * bound node, a deletion timestamp, a finished phase. A state that contradicts one of these is
 * outdated and dropped. Any other may be the newest; the last received counts until a write proves
 * otherwise.
 */
final class TrackedPod {
  private static final int MAX_STATES = 4;
  private static final int MAX_OUTDATED = 16;

  private final List<WatchedPod> states = new ArrayList<>();
  private final Set<String> outdated = new LinkedHashSet<>();
  private WatchedPod latest;
  private boolean ungated;
  private boolean gatedByOthers;

  /** The time from which only our gate is present; null for its creation. */
  private @Nullable Instant waitingSince;

  /** The write in flight. */
  @Nullable PendingWrite pendingWrite;

  /** Whether an earlier write can still change it. */
  InFlight inFlight;

  /** Writes of unknown outcome. */
  enum InFlight {
    NONE,
    /** Of an earlier term: nothing is granted until it is settled. */
    EARLIER_TERM,
    /** A grant of this term: its capacity stays allocated. */
    OWN_GRANT
  }

  int skips;
  int failures;
  Instant notBefore = Instant.MIN;

  /** The API server's refusal of the last grant; null without one. */
  @Nullable String refusal;

  @Nullable PlacementRequest request;
  private Decision.@Nullable Admitted admitted;
  private @Nullable Refusal refused;
  StatusReport reported = StatusReport.NONE;
  boolean reportedLeak;
  boolean reportedOutOfMemory;
  boolean claimMade;

  /** Nominations that ended without a binding. */
  int lapses;

  Instant notNominatedBefore = Instant.MIN;

  /** Whether its nomination relies on preemption for all but GPUs. */
  boolean reliesOnPreemption;

  TrackedPod(WatchedPod first, InFlight inFlight) {
    this.latest = first;
    this.inFlight = inFlight;
    states.add(first);
  }

  /** The last decision; null without one. */
  @Nullable Decision decision() {
    Refusal last = refused;
    return last == null ? admitted : last.decision();
  }

  /** The last refusal; null without one. */
  @Nullable Refusal refused() {
    return refused;
  }

  void refuse(Refusal why) {
    refused = why;
    admitted = null;
  }

  void admit(Decision.Admitted granted) {
    refused = null;
    admitted = granted;
  }

  String uid() {
    return latest.uid();
  }

  /** The last received state, which may be outdated. */
  WatchedPod latest() {
    return latest;
  }

  /** The state for a write; null while a newer one is outstanding. */
  @Nullable WatchedPod current() {
    return states.isEmpty() ? null : states.getLast();
  }

  /** Adds a state, unless it is known or outdated; whether it was added. */
  boolean accept(WatchedPod seen) {
    String version = seen.resourceVersion();
    if (outdated.contains(version)
        || states.stream().anyMatch(s -> s.resourceVersion().equals(version))) {
      return false;
    }
    if (contradicts(seen)) {
      drop(version);
      return false;
    }
    states.add(seen);
    if (states.size() > MAX_STATES) {
      states.removeFirst();
    }
    latest = seen;
    return true;
  }

  private boolean contradicts(WatchedPod seen) {
    boolean gateCameBack =
        (ungated && seen.hasOurGate())
            || !latest.scheduling().gates().containsAll(seen.scheduling().gates());
    boolean lostItsNode = latest.scheduling().node() != null && seen.scheduling().node() == null;
    boolean revived =
        (latest.life().terminating() && !seen.life().terminating())
            || (!latest.isLive() && seen.isLive());
    return gateCameBack || lostItsNode || revived;
  }

  /** The API server no longer has this state. */
  void drop(String version) {
    states.removeIf(state -> state.resourceVersion().equals(version));
    outdated.add(version);
    if (outdated.size() > MAX_OUTDATED) {
      outdated.remove(outdated.iterator().next());
    }
  }

  /** A write to this state succeeded: it and all before it are outdated. */
  void dropAll(List<WatchedPod> before) {
    before.forEach(state -> drop(state.resourceVersion()));
  }

  List<WatchedPod> states() {
    return List.copyOf(states);
  }

  /** Our gate is removed, for good. */
  void markUngated() {
    ungated = true;
  }

  /** Whether our gate is present, by all known states. */
  boolean isGated() {
    return !ungated && latest.hasOurGate();
  }

  /** Whether an ungate or a binding with a grant may be in flight. */
  boolean mayHaveUngateInFlight() {
    boolean sent =
        pendingWrite != null
            && (pendingWrite.purpose() instanceof PendingWrite.UngateGranted
                || pendingWrite.purpose() instanceof PendingWrite.BindPod);
    return sent || inFlight == InFlight.OWN_GRANT || (ungated && latest.hasOurGate());
  }

  /** Whether it is on another node than its grant. */
  boolean isElsewhereThan(PodGrant grant) {
    String node = latest.scheduling().node();
    return node != null && !node.equals(grant.node());
  }

  /** Whether only our gate is present. */
  boolean isGatedByUsAlone() {
    return !ungated && latest.isGatedByUsAlone();
  }

  /** Other gates are present: the wait has not begun. */
  void markGatedByOthers() {
    gatedByOthers = true;
  }

  /** Only our gate is present: the wait begins, where others were present before. */
  void markGatedByUsAlone(Instant now) {
    if (gatedByOthers) {
      gatedByOthers = false;
      waitingSince = now;
    }
  }

  /** Its queue position for the next leader; empty for the initial one. */
  Optional<LeaderState.QueuePosition> position() {
    return skips == 0 && waitingSince == null
        ? Optional.empty()
        : Optional.of(new LeaderState.QueuePosition(skips, waitingSince));
  }

  /** Restores the queue position of an earlier leader. */
  void resume(LeaderState.QueuePosition position) {
    skips = position.skips();
    waitingSince = position.waitingSince();
  }

  /** The begin of its wait. */
  Instant waitingSince() {
    return waitingSince == null ? latest.life().createdAt() : waitingSince;
  }

  /** Time of its wait, never negative. */
  Duration waited(Instant now) {
    Duration waited = Duration.between(waitingSince(), now);
    return waited.isNegative() ? Duration.ZERO : waited;
  }
}
