package dev.cotenant.predictor.train;

import dev.cotenant.domain.quantity.Coverage;
import java.time.Instant;
import java.util.List;

/**
 * The inputs of a training.
 *
 * @param seed every random choice follows from it
 * @param coverage the share of cases that each bound is meant to hold
 * @param grid the forest settings to choose from by out-of-bag error, first one wins a tie
 * @param trainedAt what provenance will say; the only clock
 */
public record TrainingSettings(
    long seed, Coverage coverage, List<ForestSettings> grid, Instant trainedAt) {
  private static final int TREES = 64;

  public TrainingSettings {
    grid = List.copyOf(grid);
    if (!(coverage.fraction() > 0 && coverage.fraction() < 1)) {
      throw new IllegalArgumentException("coverage must be in (0, 1), is " + coverage.fraction());
    }
    if (grid.isEmpty()) {
      throw new IllegalArgumentException("grid must not be empty");
    }
  }

  /** The same with another seed. */
  public TrainingSettings withSeed(long other) {
    return new TrainingSettings(other, coverage, grid, trainedAt);
  }

  /** 64 trees, bounds for 90 % of cases, a grid of six. */
  public static TrainingSettings standard(long seed, Instant trainedAt) {
    return new TrainingSettings(seed, Coverage.of(0.9), ForestSettings.grid(TREES), trainedAt);
  }
}
