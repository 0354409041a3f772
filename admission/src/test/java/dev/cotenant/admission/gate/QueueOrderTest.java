package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.gate.cycle.QueueOrder;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.admission.policy.Policy.Ordering;
import dev.cotenant.domain.quantity.MemorySize;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class QueueOrderTest {
  private final GateBench bench = new GateBench(1);

  private QueueOrder order(
      String name, Ordering ordering, int priority, int waitedSeconds, long gibibytes) {
    StoredPod pod = bench.pod(name, null, 1, 1);
    pod.priority = priority;
    Policy.Queue queue =
        new Policy.Queue(
            ordering, Duration.ofMinutes(1), 5, Duration.ofMinutes(10), Policy.Fallback.HOLD);
    return QueueOrder.of(
        pod.watched(), queue, Duration.ofSeconds(waitedSeconds), gibibytes * MemorySize.GIB);
  }

  private static List<String> sorted(QueueOrder... orders) {
    return Stream.of(orders).sorted().map(order -> order.name().substring(7)).toList();
  }

  @Test
  void putsHigherPrioritiesFirstAndAgesByWholeSteps() {
    assertThat(
            sorted(
                order("low", Ordering.PRIORITY, 0, 59, 0),
                order("aged", Ordering.PRIORITY, 0, 60, 0), // 100
                order("middle", Ordering.PRIORITY, 99, 0, 0),
                order("high", Ordering.PRIORITY, 101, 0, 0)))
        .containsExactly("high", "aged", "middle", "low");
  }

  @Test
  void putsTheLargestMemoryFirst() {
    assertThat(
            sorted(
                order("small", Ordering.LARGEST_MEMORY_FIRST, 1000, 600, 4),
                order("large", Ordering.LARGEST_MEMORY_FIRST, 0, 0, 16)))
        .containsExactly("large", "small");
  }

  @Test
  void breaksTiesByName() {
    assertThat(
            sorted(order("b", Ordering.PRIORITY, 0, 0, 0), order("a", Ordering.PRIORITY, 0, 0, 0)))
        .containsExactly("a", "b");
  }

  @Test
  void isOneOrderForPodsOfDifferentPolicies() {
    assertThat(
            sorted(
                order("plain", Ordering.PRIORITY, 0, 0, 99),
                order("aged", Ordering.PRIORITY, 0, 61, 0),
                order("memory", Ordering.LARGEST_MEMORY_FIRST, 0, 0, 4),
                order("below", Ordering.PRIORITY, -5, 0, 0)))
        .containsExactly("aged", "memory", "plain", "below");
  }
}
