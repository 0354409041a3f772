package dev.cotenant.admission.gate;

import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.policy.Policy.Ordering;
import dev.cotenant.admission.policy.Policy.Queue;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;

/**
 * Where a held pod stands in the queue: by priority, then by memory, then the oldest first, equals
 * by namespace and name.
 *
 * <p>A pod under ordering {@code PRIORITY} counts with its priority class, raised by {@link
 * Queue#AGEING_STEP} with every full {@code ageing} that it has waited, and no memory; one under
 * {@code LARGEST_MEMORY_FIRST} counts with priority 0 and the memory that it is predicted, or
 * declares, to need [ResAware, section 5]. So one order holds for a cluster whose namespaces have
 * different policies.
 *
 * @param priority aged
 * @param memoryBytes what it asks for; 0 where that does not matter
 * @param createdAt of the pod
 * @param name namespace and name
 */
record QueueOrder(long priority, long memoryBytes, Instant createdAt, String name)
    implements Comparable<QueueOrder> {
  private static final Comparator<QueueOrder> FIRST_TO_LAST =
      Comparator.comparingLong(QueueOrder::priority)
          .thenComparingLong(QueueOrder::memoryBytes)
          .reversed()
          .thenComparing(QueueOrder::createdAt)
          .thenComparing(QueueOrder::name);

  static QueueOrder of(WatchedPod pod, Queue queue, Duration waited, long memoryBytes) {
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
