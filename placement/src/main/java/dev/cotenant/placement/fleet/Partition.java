package dev.cotenant.placement.fleet;

import dev.cotenant.domain.quantity.Share;
import java.util.List;

/**
 * An MPS partition of a GPU.
 *
 * @param share of the GPU's compute
 * @param turns services that run in it: one, or several that take turns, a batch each in every
 *     cycle
 */
public record Partition(Share share, List<Turn> turns) {
  public Partition {
    turns = List.copyOf(turns);
    if (turns.isEmpty()) {
      throw new IllegalArgumentException("a partition needs at least one turn");
    }
  }

  /** A partition of one service. */
  public static Partition of(Share share, Turn turn) {
    return new Partition(share, List.of(turn));
  }
}
