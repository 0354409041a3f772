package dev.cotenant.admission.gate.state;

import dev.cotenant.admission.gate.state.WriteState.InFlight;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The pods of a term. A pod is gated, released to its scheduler, or neither. */
public final class TrackedPods {
  /** Longest delay of events about pods that are gone. */
  private static final Duration LATE = Duration.ofHours(1);

  private static final int MANY = 10_000;

  private final Map<String, TrackedPod> all = new LinkedHashMap<>();
  private final Map<String, TrackedPod> gated = new TreeMap<>();
  private final Map<String, TrackedPod> released = new TreeMap<>();
  private final Map<String, Instant> gone = new LinkedHashMap<>();

  TrackedPods() {}

  /** The pod with this uid; null where it is gone or unknown. */
  public @Nullable TrackedPod find(String uid) {
    return all.get(uid);
  }

  /** All pods in order of arrival. */
  public Collection<TrackedPod> all() {
    return Collections.unmodifiableCollection(all.values());
  }

  /** Gated pods, by uid. */
  public Collection<TrackedPod> gated() {
    return Collections.unmodifiableCollection(gated.values());
  }

  /** Ungated pods that their scheduler has yet to bind through the extender, by uid. */
  public Collection<TrackedPod> released() {
    return Collections.unmodifiableCollection(released.values());
  }

  /** Uids of the released pods. */
  public Set<String> releasedUids() {
    return Set.copyOf(released.keySet());
  }

  /** Pods that a write of this or of an earlier term may yet ungate or bind. */
  public List<TrackedPod> unbound() {
    List<TrackedPod> unbound = new ArrayList<>(gated.values());
    unbound.addAll(released.values());
    return unbound;
  }

  /** Unbound pods that a write of an earlier term may have changed, or may yet change. */
  public int unverified() {
    return (int)
        Stream.of(gated, released)
            .flatMap(pods -> pods.values().stream())
            .filter(pod -> pod.writes().inFlight() == InFlight.EARLIER_TERM)
            .count();
  }

  /** Whether a pod is deleted or finished, so that events about it are outdated. */
  public boolean isGone(String uid) {
    return gone.containsKey(uid);
  }

  /**
   * Adds a pod.
   *
   * @throws IllegalStateException where it is gone
   */
  public void track(TrackedPod pod) {
    if (isGone(pod.uid())) {
      throw new IllegalStateException(pod.uid() + " is gone");
    }
    all.put(pod.uid(), pod);
  }

  /** The pod is gated; whether it was not known to be. */
  public boolean gate(TrackedPod pod) {
    if (!pod.isGated()) {
      throw new IllegalStateException(pod.uid() + " has no gate of Cotenant");
    }
    return gated.put(pod.uid(), pod) == null;
  }

  /** The pod is ungated, for good, and waits for its scheduler; whether it was gated. */
  public boolean release(TrackedPod pod) {
    boolean wasGated = gated.remove(pod.uid()) != null;
    pod.markUngated();
    released.put(pod.uid(), pod);
    return wasGated;
  }

  /** The pod is ungated, for good, and waits for nothing of ours; whether it did before. */
  public boolean ungate(TrackedPod pod) {
    pod.markUngated();
    return leave(pod.uid());
  }

  /** Removes the pod from the gated and the released pods; returns whether it was among them. */
  public boolean leave(String uid) {
    boolean wasGated = gated.remove(uid) != null;
    boolean wasReleased = released.remove(uid) != null;
    return wasGated || wasReleased;
  }

  /** The pod is gone or finished. */
  void forget(String uid, Instant now) {
    all.remove(uid);
    leave(uid);
    gone.put(uid, now);
    if (gone.size() > MANY) {
      Instant late = now.minus(LATE);
      gone.values().removeIf(at -> at.isBefore(late));
    }
  }

  boolean isGated(String uid) {
    return gated.containsKey(uid);
  }

  /** Whether the pod is ungated and its scheduler has yet to bind it. */
  public boolean isReleased(String uid) {
    return released.containsKey(uid);
  }
}
