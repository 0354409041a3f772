package dev.cotenant.predictor.forest;

/**
 * The forest of one target in its log space, and how wrong it is by how new the question is.
 *
 * @param target what is predicted
 * @param forest gives the logarithm that {@link Target} defines
 * @param familiar residuals within the ranges of a seen device, in units of {@link Target#scaleOf}
 * @param unseenModel residuals on model families that were left out of training
 * @param unseenDevice residuals on devices that were left out; those of families where there was
 *     but one device
 */
public record TargetModel(
    Target target,
    Forest forest,
    ResidualQuantiles familiar,
    ResidualQuantiles unseenModel,
    ResidualQuantiles unseenDevice) {

  /**
   * How far below and above an estimate the truth may lie, in log space. Each new respect of the
   * question can only widen it. A model beyond the rows of its device may rest on rows of another,
   * so that it gets the bounds of left-out devices too. The trees' disagreement scales what is
   * familiar only: beyond their training they may well agree and be wrong.
   */
  public ResidualQuantiles offsets(Forest.Estimate estimate, Novelty novelty) {
    ResidualQuantiles offsets = familiar.times(target.scaleOf(estimate));
    if (novelty.unseenModel()) {
      return offsets.widerOf(unseenModel).widerOf(unseenDevice);
    }
    return novelty.unseenDevice() ? offsets.widerOf(unseenDevice) : offsets;
  }
}
