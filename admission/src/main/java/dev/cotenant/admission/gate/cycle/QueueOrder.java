package dev.cotenant.admission.gate.cycle;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.policy.Policy.Ordering;
import dev.cotenant.admission.policy.Policy.Queue;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;

/**
 * The order of the queue: priority, then memory, then creation, then namespace and name.
 *
 * <p>Under ordering {@code PRIORITY} the priority is that of the pod's class plus {@link
 * Queue#AGEING_STEP} for every full {@code ageing} of waiting, and memory is 0; under {@code
 * LARGEST_MEMORY_FIRST} priority is 0 and memory is the predicted or declared one [ResAware,
 * section 5]. So one order covers namespaces with different policies.
 *
 * @param priority with ageing
 * @param memoryBytes 0 where it does not count
 * @param createdAt of the pod
 * @param name namespace and name
 */
public record QueueOrder(long priority, long memoryBytes, Instant createdAt, String name)
    implements Comparable<QueueOrder> {
  private static final Comparator<QueueOrder> FIRST_TO_LAST =
      Comparator.comparingLong(QueueOrder::priority)
          .thenComparingLong(QueueOrder::memoryBytes)
          .reversed()
          .thenComparing(QueueOrder::createdAt)
          .thenComparing(QueueOrder::name);

  public static QueueOrder of(WatchedPod pod, Queue queue, Duration waited, long memoryBytes) {
    boolean byMemory = queue.ordering() == Ordering.LARGEST_MEMORY_FIRST;
    long steps = waited.dividedBy(queue.ageing());
    return new QueueOrder(
        byMemory ? 0 : pod.scheduling().priority() + Queue.AGEING_STEP * steps,
        byMemory ? memoryBytes : 0,
        pod.life().createdAt(),
        pod.pod().toString());
  }

  @Override
  public int compareTo(QueueOrder other) {
    return FIRST_TO_LAST.compare(this, other);
  }
}
