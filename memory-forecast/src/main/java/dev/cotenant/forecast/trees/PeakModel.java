package dev.cotenant.forecast.trees;

import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.forecast.history.SteppedHistory;
import dev.cotenant.learning.trees.BoostedTrees;

/**
 * What the peak forecaster has learned. Trees predict the rise of used memory from its current
 * value, as a share of the history's reference; those of the bound, the rise above the maximum of
 * the {@link SteppedHistory#RECENT newest} steps.
 *
 * @param next median rise at the next step; may be negative
 * @param peak median rise of the peak of the coming steps
 * @param bound rise that the peak of the coming steps exceeds in {@code 1 − coverage} of cases; may
 *     be negative
 * @param margin added to the bound's rise so that it covers as stated on series the trees had not
 *     seen; negative where they were too careful
 * @param restartFactor after a restart the peak stays below this many times the history's most
 * @param startShare of capacity that the peak of a process that has just started stays below
 * @param coverage nominal coverage of the bound
 * @param provenance origin of the training data
 */
public record PeakModel(
    BoostedTrees next,
    BoostedTrees peak,
    BoostedTrees bound,
    double margin,
    double restartFactor,
    double startShare,
    Coverage coverage,
    Provenance provenance) {

  public PeakModel {
    if (!(margin > -1 && margin < 1)) {
      throw new IllegalArgumentException("margin must be in (-1, 1), is " + margin);
    }
    if (!(restartFactor >= 1 && restartFactor < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("restartFactor must be at least 1, is " + restartFactor);
    }
    if (!(startShare >= 0 && startShare <= 1)) {
      throw new IllegalArgumentException("startShare must be in [0, 1], is " + startShare);
    }
  }

  /** The same with another margin: a larger one is more careful. */
  public PeakModel withMargin(double other) {
    return new PeakModel(next, peak, bound, other, restartFactor, startShare, coverage, provenance);
  }

  /**
   * Where a model comes from.
   *
   * @param data format and sha256 of each set, in one line
   * @param series how many series it has seen
   * @param windows how many windows of them
   * @param seed of every random choice
   * @param settings how the trees were grown, in one line
   */
  public record Provenance(String data, int series, int windows, long seed, String settings) {}
}
