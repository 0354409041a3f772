package dev.cotenant.placement.serving;

/**
 * How many queues a round of decisions may still solve. A question that is begun is answered, so
 * that every round answers one at least. Not thread-safe.
 */
public final class QueueEffort {
  private int left;

  /** So many queues. */
  public QueueEffort(int queues) {
    left = queues;
  }

  /** Without a bound. */
  public static QueueEffort unlimited() {
    return new QueueEffort(Integer.MAX_VALUE);
  }

  /** Whether no further question may be begun. */
  public boolean isSpent() {
    return left <= 0;
  }

  void spend(int queues) {
    left -= queues;
  }
}
