package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.port.GatePorts;
import dev.cotenant.admission.gate.state.Term;
import dev.cotenant.admission.gate.state.TrackedPod;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The queue of gated pods. */
public final class GateQueue {
  private final GatePorts ports;
  private final Term term;
  private final Deciding deciding;

  public GateQueue(GatePorts ports, Term term, Deciding deciding) {
    this.ports = ports;
    this.term = term;
    this.deciding = deciding;
  }

  /** All gated pods in queue order, including those that cannot be decided on yet. */
  public List<QueuedPod> inOrder(Instant now) {
    ClusterSnapshot cluster = term.cluster().snapshot();
    List<QueuedPod> queue = new ArrayList<>(term.pods().gated().size());
    for (TrackedPod pod : term.pods().gated()) {
      WatchedPod state = pod.latest();
      @Nullable Colocatable request =
          state.request() instanceof Colocatable colocatable ? colocatable : null;
      Policy policy = ports.policies().get().of(state.pod().namespace());
      long memory = request == null ? 0 : memoryBytes(pod, request, policy, now, cluster);
      queue.add(
          new QueuedPod(
              pod,
              state,
              request,
              QueueOrder.of(state, policy.queue(), pod.waiting().waited(now), memory)));
    }
    queue.sort(null);
    return queue;
  }

  /** The memory of the queue order: the largest prediction, else the declared memory. */
  private long memoryBytes(
      TrackedPod pod, Colocatable request, Policy policy, Instant now, ClusterSnapshot cluster) {
    if (policy.queue().ordering() != Policy.Ordering.LARGEST_MEMORY_FIRST) {
      return 0;
    }
    Subject subject = deciding.subject(pod.latest(), request, pod.waiting().waited(now));
    @Nullable PlacementRequest known = deciding.request(subject, cluster);
    long predicted =
        known == null
            ? 0
            : known.predictions().values().stream()
                .mapToLong(prediction -> prediction.peakMemory().upper().bytes())
                .max()
                .orElse(0);
    long declared =
        request.declaredMemory().map(memory -> memory.on(MemorySize.ofGiB(1)).bytes()).orElse(0L);
    return Math.max(predicted, declared) * request.gpu().gpus();
  }
}
