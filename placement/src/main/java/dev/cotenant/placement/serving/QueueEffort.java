package dev.cotenant.placement.serving;

import org.jspecify.annotations.Nullable;

/**
 * How many queues a round of decisions may still solve. Started questions are finished, so that
 * every round answers at least one. Not thread-safe.
 */
public final class QueueEffort {
  /** Of a cycle: about a second where batches and rates are large. */
  private static final int QUEUES_OF_A_CYCLE = 128;

  private final int queues;
  private int left;
  private @Nullable QueueEffort advice;

  /** So many queues. */
  public QueueEffort(int queues) {
    this.queues = queues;
    left = queues;
  }

  /** As many as fit into a cycle. */
  public static QueueEffort ofCycle() {
    return new QueueEffort(QUEUES_OF_A_CYCLE);
  }

  /** Without a bound. */
  public static QueueEffort unlimited() {
    return new QueueEffort(Integer.MAX_VALUE);
  }

  /**
   * An equal, separate limit for advice on refused pods, so that advice never displaces a decision.
   */
  public QueueEffort advice() {
    QueueEffort own = advice;
    if (own == null) {
      own = new QueueEffort(queues);
      advice = own;
    }
    return own;
  }

  /** Whether no further question may be begun. */
  public boolean isSpent() {
    return left <= 0;
  }

  void spend(int queues) {
    left -= queues;
  }
}
