package dev.cotenant.simulator.world;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a policy does with a running job at its review. */
public sealed interface Review {
  /**
   * The job stays; others may join its GPU from now on.
   *
   * @param next the next review; null: none
   */
  record Stay(@Nullable Duration next) implements Review {}

  /** The job moves and loses its work. */
  record Move(Placement.Start to) implements Review {}

  /** The job goes back to the queue, at the same cost. */
  record Leave() implements Review {}
}
