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
 * A pod in the current term: what is known of it, whichever order it came in, and what is being
 * done about it.
 *
 * <p>Resource versions are opaque, so that of two states nobody can tell the newer by its version.
 * But some things never come back: a gate that was removed, a pod that had no node, that was not
 * being deleted, that had not finished. A state that contradicts what was seen before is old and
 * dropped. Of the others any may be the newest; the last that came is taken for it until a write
 * shows that it is not.
 */
final class TrackedPod {
  private static final int MAX_STATES = 4;
  private static final int MAX_SPENT = 16;

  private final List<WatchedPod> states = new ArrayList<>();
  private final Set<String> spent = new LinkedHashSet<>();
  private WatchedPod latest;
  private boolean ungate;
  private boolean heldByOthers;

  /** Since when only our gate holds it. */
  private @Nullable Instant waitingSince;

  /** What is on its way to the API server about it. */
  @Nullable PendingWrite pendingWrite;

  /** Whether writes that were sent earlier could still change it, beyond what is known. */
  InFlight inFlight;

  /** How far the capacity that it may hold can be relied upon. */
  enum InFlight {
    /** Nothing is on its way. */
    NONE,
    /** Something of an earlier term may be: nothing is granted to anybody before that is over. */
    EARLIER_TERM,
    /** A grant of this term may be: its capacity is kept. */
    OWN_GRANT
  }

  int skips;
  int failures;
  Instant notBefore = Instant.MIN;

  /** Why the API server did not let it go to what it was granted; null where it did not say no. */
  @Nullable String refusal;

  @Nullable PlacementRequest request;
  private Decision.@Nullable Admitted admitted;
  private @Nullable Refusal refused;
  StatusReport reported = StatusReport.NONE;
  boolean reportedLeak;
  boolean reportedOutOfMemory;
  boolean claimMade;

  TrackedPod(WatchedPod first, InFlight inFlight) {
    this.latest = first;
    this.inFlight = inFlight;
    states.add(first);
  }

  /** What was decided last; null where nothing was. */
  @Nullable Decision decision() {
    Refusal last = refused;
    return last == null ? admitted : last.decision();
  }

  /** Why it was refused last; null where it was not. */
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

  /** The last that is known of it, which may be known to be past. */
  WatchedPod latest() {
    return latest;
  }

  /** The state that a write can be made for; null while a newer one is waited for. */
  @Nullable WatchedPod current() {
    return states.isEmpty() ? null : states.getLast();
  }

  /** Takes a state in, unless it is known already or old; whether it did. */
  boolean accept(WatchedPod seen) {
    String version = seen.resourceVersion();
    if (spent.contains(version)
        || states.stream().anyMatch(s -> s.resourceVersion().equals(version))) {
      return false;
    }
    if (contradicts(seen)) {
      spend(version);
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
        (ungate && seen.hasOurGate())
            || !latest.scheduling().gates().containsAll(seen.scheduling().gates());
    boolean lostItsNode = latest.scheduling().node() != null && seen.scheduling().node() == null;
    boolean revived =
        (latest.life().terminating() && !seen.life().terminating())
            || (!latest.isLive() && seen.isLive());
    return gateCameBack || lostItsNode || revived;
  }

  /** The API server does not have this state any more. */
  void spend(String version) {
    states.removeIf(state -> state.resourceVersion().equals(version));
    spent.add(version);
    if (spent.size() > MAX_SPENT) {
      spent.remove(spent.iterator().next());
    }
  }

  /** A write to this state was done: it and all that came before it are past. */
  void spendAll(List<WatchedPod> before) {
    before.forEach(state -> spend(state.resourceVersion()));
  }

  List<WatchedPod> states() {
    return List.copyOf(states);
  }

  /** Our gate is gone, whoever says otherwise. */
  void markUngated() {
    ungate = true;
  }

  /** Whether our gate holds it, by all that is known. */
  boolean isHeld() {
    return !ungate && latest.hasOurGate();
  }

  /** Whether it may be let go to what it was granted without having been seen so. */
  boolean mayBeOnItsWay() {
    boolean sent =
        pendingWrite != null && pendingWrite.purpose() instanceof PendingWrite.UngateGranted;
    return sent || inFlight == InFlight.OWN_GRANT || (ungate && latest.hasOurGate());
  }

  /** Whether it went to another node than a grant's. */
  boolean isOffFrom(PodGrant grant) {
    String node = latest.scheduling().node();
    return node != null && !node.equals(grant.node());
  }

  /** Whether only our gate holds it. */
  boolean isHeldByUsAlone() {
    return !ungate && latest.isHeldByUsAlone();
  }

  /** Others hold it as well: the wait for us has not begun. */
  void othersHold() {
    heldByOthers = true;
  }

  /** Only we hold it: the wait begins with that where others were seen to hold it before. */
  void onlyWeHold(Instant now) {
    if (heldByOthers) {
      heldByOthers = false;
      waitingSince = now;
    }
  }

  /** What the next leader should know of its place in the queue; empty where nothing. */
  Optional<LeaderState.QueuePosition> mark() {
    return skips == 0 && waitingSince == null
        ? Optional.empty()
        : Optional.of(new LeaderState.QueuePosition(skips, waitingSince));
  }

  /** Stands where an earlier leader had it. */
  void resume(LeaderState.QueuePosition mark) {
    skips = mark.skips();
    waitingSince = mark.waitingSince();
  }

  /** Since when it waits for us; its creation where it waited from the beginning. */
  Instant waitingSince() {
    return waitingSince == null ? latest.life().createdAt() : waitingSince;
  }

  /** How long it has waited, never negative. */
  Duration waited(Instant now) {
    Duration waited = Duration.between(waitingSince(), now);
    return waited.isNegative() ? Duration.ZERO : waited;
  }
}
