package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.state.TrackedPod;
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

  @Override
  public int compareTo(QueuedPod other) {
    return order.compareTo(other.order);
  }
}
