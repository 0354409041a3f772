package dev.cotenant.engine.lifecycle;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Port: trainings, at most one of them open at a time over all replicas. Every method may throw
 * StoreException.
 */
public interface TrainingStore {
  /**
   * Queues a training.
   *
   * @throws ConflictException ({@code training-running}) naming the one that is open
   */
  Training enqueue(String id, Instant at);

  /** Newest first, at most {@code limit}. */
  List<Training> newest(int limit);

  /** The training of this id. */
  Optional<Training> find(String id);

  /**
   * Takes the open training: one that waits, or one that runs without a sign of life since {@code
   * staleBefore}, whose replica is taken for dead. Of two replicas that claim it at once one gets
   * it.
   */
  Optional<Training> claim(String replica, Instant staleBefore, Instant at);

  /**
   * A sign of life with the newest progress.
   *
   * @return whether to go on: false once it was cancelled or another replica took it over
   */
  boolean advance(Training training, Training.Progress progress, Instant at);

  /** Ends a training that is still this replica's; otherwise nothing changes. */
  boolean end(Training training, Training.Outcome outcome, Instant at);

  /**
   * Cancels a training: at once where it waits, at its next sign of life where it runs.
   *
   * @return what it is now
   * @throws ConflictException ({@code training-ended}) when it has ended
   * @throws dev.cotenant.domain.InputException ({@code unknown-training})
   */
  Training cancel(String id, Instant at);
}
