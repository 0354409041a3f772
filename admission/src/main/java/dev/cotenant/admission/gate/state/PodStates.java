package dev.cotenant.admission.gate.state;

import dev.cotenant.admission.cluster.WatchedPod;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The known states of a pod.
 *
 * <p>Resource versions are opaque and have no order. But some changes are final: a removed gate, a
 * bound node, a deletion timestamp, a finished phase. A state that contradicts one of these is
 * outdated and dropped. Among the remaining states, the last received one counts until a write
 * disproves it.
 */
final class PodStates {
  private static final int MAX_STATES = 4;
  private static final int MAX_OUTDATED = 16;

  private final List<WatchedPod> states = new ArrayList<>();
  private final Set<String> outdated = new LinkedHashSet<>();
  private WatchedPod latest;
  private boolean ungated;

  PodStates(WatchedPod first) {
    latest = first;
    states.add(first);
  }

  /** The last received state, which may be outdated. */
  WatchedPod latest() {
    return latest;
  }

  /** The state for a write; null while a newer one is outstanding. */
  @Nullable WatchedPod current() {
    return states.isEmpty() ? null : states.getLast();
  }

  List<WatchedPod> all() {
    return List.copyOf(states);
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

  /** Our gate is removed, for good. */
  void markUngated() {
    ungated = true;
  }

  /** Whether our gate is known to be removed, by a state or by a write. */
  boolean isUngated() {
    return ungated;
  }
}
