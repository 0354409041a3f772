package dev.cotenant.predictor.forest;

/**
 * The forest of one target in its log space, and how wrong it is by how new the question is.
 *
 * @param target what is predicted
 * @param forest gives the logarithm that {@link Target} defines
 * @param familiar residuals within the ranges of a seen device, in units of {@link Target#scaleOf}
 * @param novel the widest residuals on model families and on devices that were left out
 * @param coverage how often the bounds hold
 */
public record TargetModel(
    Target target,
    Forest forest,
    ResidualQuantiles familiar,
    ResidualQuantiles novel,
    BoundCoverage coverage) {

  /**
   * How far below and above an estimate the truth may lie, in log space. What is new in any respect
   * gets the widest bounds of all: a model beyond the rows of its device may rest on rows of
   * another, and on an unseen device nobody knows which models are like those seen. The trees'
   * disagreement scales what is familiar only: beyond their training they may well agree and be
   * wrong.
   */
  public ResidualQuantiles offsets(Forest.Estimate estimate, Novelty novelty) {
    return novelty.isNone() ? familiarOffsets(estimate) : novelOffsets(estimate);
  }

  /** As {@link #offsets}, of what is new in any respect. */
  public ResidualQuantiles novelOffsets(Forest.Estimate estimate) {
    return familiarOffsets(estimate).widerOf(novel);
  }

  private ResidualQuantiles familiarOffsets(Forest.Estimate estimate) {
    return familiar.times(target.scaleOf(estimate));
  }
}
