package dev.cotenant.placement.fleet;

import java.util.List;

/**
 * An MPS partition of a GPU.
 *
 * @param sharePermille thousandths of the GPU's compute, 1 to 1000; integer, so that sums are exact
 * @param turns services that run in it: one, or several that take turns, a batch each in every
 *     cycle
 */
public record Partition(int sharePermille, List<Turn> turns) {
  private static final double PERMILLE_PER_PERCENT = 10;

  public Partition {
    turns = List.copyOf(turns);
    if (turns.isEmpty()) {
      throw new IllegalArgumentException("a partition needs at least one turn");
    }
  }

  /** A partition of one service. */
  public static Partition of(int sharePermille, Turn turn) {
    return new Partition(sharePermille, List.of(turn));
  }

  /** Percent of the GPU. */
  public double sharePercent() {
    return sharePermille / PERMILLE_PER_PERCENT;
  }
}
