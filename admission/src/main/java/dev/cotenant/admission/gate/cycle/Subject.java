package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.fit.Needs;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import java.time.Duration;

/**
 * The input of a decision.
 *
 * @param pod the request of the pod
 * @param equivalence pods of one class have the same decision
 * @param waited time in the queue
 */
record Subject(Colocatable pod, EquivalenceClass equivalence, Duration waited) {
  /** Its needs of nodes. */
  Needs needs() {
    return equivalence.needs();
  }

  /** The same pod with its requirements on nodes alone: its scheduler may preempt for the rest. */
  Subject byGpus() {
    return new Subject(pod, equivalence.on(Needs.of(needs().nodes())), waited);
  }

  /** The same pod where its scheduler checks its needs of nodes. */
  Subject onAnyNode() {
    return new Subject(pod, equivalence.on(Needs.ANY_NODE), waited);
  }
}
