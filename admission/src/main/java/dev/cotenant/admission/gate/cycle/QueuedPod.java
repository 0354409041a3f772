package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.state.PendingWrite;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.gate.state.WriteState.InFlight;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A gated pod and its queue position. */
public record QueuedPod(
    TrackedPod pod, WatchedPod state, @Nullable Colocatable request, QueueOrder order)
    implements Comparable<QueuedPod> {
  /** Time of its wait. */
  Duration waited(Instant now) {
    return pod.waiting().waited(now);
  }

  /** Whether it can be decided on now. */
  boolean isReady(Instant now) {
    WatchedPod current = pod.current();
    return pod.writes().areSettled()
        && pod.isGatedByUsAlone()
        && current != null
        && current.isGatedByUsAlone()
        && !current.life().terminating()
        && !now.isBefore(pod.writes().notBefore());
  }

  /** Whether only an outstanding status report prevents a decision. */
  boolean isReportPending(Instant now) {
    @Nullable PendingWrite pendingWrite = pod.writes().pending();
    boolean reporting =
        pendingWrite == null
            ? pod.current() == null
            : pendingWrite.purpose() instanceof PendingWrite.Report;
    return reporting
        && pod.writes().inFlight() == InFlight.NONE
        && pod.isGatedByUsAlone()
        && !pod.latest().life().terminating()
        && !now.isBefore(pod.writes().notBefore());
  }

  @Override
  public int compareTo(QueuedPod other) {
    return order.compareTo(other.order);
  }
}
