package dev.cotenant.simulator.world;

import java.time.Duration;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * How a policy's queue works.
 *
 * @param order which job is tried first
 * @param period the queue is tried again so often even if nothing changed; null: changes only
 * @param maxSkips how many later jobs may start before one that waits; then it blocks all behind
 *     it, as the product's {@code max-skips} does for jobs of one GPU
 */
public record QueueRule(Order order, @Nullable Duration period, int maxSkips) {
  /** By arrival; a job that does not fit blocks no other. */
  public static final QueueRule FIFO_WITH_BACKFILL = new QueueRule(Order.FIFO, null);

  /** Any number of skips. */
  public QueueRule(Order order, @Nullable Duration period) {
    this(order, period, Integer.MAX_VALUE);
  }

  public QueueRule {
    if (maxSkips < 0 || (period != null && !period.isPositive())) {
      throw new IllegalArgumentException("maxSkips must be at least 0, period positive");
    }
  }

  /** Which job is tried first; ties go by arrival. */
  public enum Order {
    FIFO,
    LARGEST_MEMORY_FIRST,
    /** By the predicted mean on the first device that has one; unknown last. */
    LARGEST_UTILIZATION_FIRST;

    Comparator<JobView> comparator() {
      Comparator<JobView> arrival = Comparator.comparingLong(JobView::number);
      return switch (this) {
        case FIFO -> arrival;
        case LARGEST_MEMORY_FIRST ->
            Comparator.comparing((JobView job) -> job.submission().requestedMemory())
                .reversed()
                .thenComparing(arrival);
        case LARGEST_UTILIZATION_FIRST ->
            Comparator.comparingDouble(Order::predicted).reversed().thenComparing(arrival);
      };
    }

    private static double predicted(JobView job) {
      return job.submission().predictions().entrySet().stream()
          .min(Comparator.comparing(entry -> entry.getKey().value()))
          .map(entry -> entry.getValue().utilization().mean().percent())
          .orElse(0.0);
    }
  }
}
