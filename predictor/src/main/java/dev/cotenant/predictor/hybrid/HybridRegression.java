package dev.cotenant.predictor.hybrid;

import dev.cotenant.learning.trees.BoostedTrees;
import dev.cotenant.predictor.hybrid.prior.Covariates;
import dev.cotenant.predictor.hybrid.prior.Prior;
import dev.cotenant.predictor.hybrid.prior.Run;
import org.jspecify.annotations.Nullable;

/**
 * Answers the logarithm of one target: the prior, plus corrections that fade with the distance from
 * what was measured. Immutable, thread safe.
 *
 * @param prior what carries over to runs unlike any measured one
 * @param landmarks representatives of all measured runs
 * @param heights of the smooth correction, one a landmark
 * @param trees what they add to prior and smooth correction
 * @param transfer what answers on devices without measured runs; null leaves them to the prior
 */
record HybridRegression(
    Prior prior,
    Landmarks landmarks,
    Heights heights,
    BoostedTrees trees,
    @Nullable DeviceTransfer transfer) {
  // log y = prior(x) + familiarity(x) · (Σ height · bump(distance) + trees(x))
  // familiarity = exp(−2 · max(0, D − 1)), D = distance to the nearest landmark / spacing of
  // landmarks. Trees answer the same however far a question lies from their training; without the
  // fading they are worse than the prior alone on a family that was left out.
  // On a device without measured runs the transfer answers instead, uncorrected.
  private static final double FADING = 2;

  /** Landmarks nearer to each other than this, in standard deviations, count as apart. */
  private static final double MIN_SPACING = 0.3;

  /**
   * @param prior the answer of the prior, or of the transfer
   * @param correction what the measured runs add to it
   * @param familiarity 1 among measured runs, 0 far from them
   * @param covariates what the corrections looked at
   * @param nearest index of the nearest landmark
   */
  record Answer(
      double prior, double correction, double familiarity, Vector covariates, int nearest) {
    double log() {
      return prior + familiarity * correction;
    }
  }

  /** Weights of landmarks. */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere
  record Heights(float... values) {
    Heights {
      values = values.clone();
    }

    double sum(float[] squaredDistances) {
      return SmoothCorrection.sum(values, squaredDistances);
    }

    @Override
    public float[] values() {
      return values.clone();
    }
  }

  /** Covariates of one run. */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
  record Vector(float... values) {}

  /** The same with the transfer that far bounds are around, where they are around one. */
  HybridRegression answeringFar(FarBound far) {
    return switch (far) {
      case FarBound.Jackknife jackknife ->
          new HybridRegression(prior, landmarks, heights, trees, jackknife.transfer());
      case FarBound.OfCoefficients _ -> this;
    };
  }

  Answer answer(Run run) {
    Run like = prior.correctedLike(run);
    float[] covariates = Covariates.of(like, prior.log(like));
    float[] distances = landmarks.squaredDistances(covariates);
    int nearest = 0;
    for (int i = 1; i < distances.length; i++) {
      nearest = distances[i] < distances[nearest] ? i : nearest;
    }
    double correction = heights.sum(distances) + trees.predict(covariates);
    Vector vector = new Vector(covariates);
    if (transfer != null && transfer.applies(run)) {
      return new Answer(transfer.log(run), correction, 0, vector, nearest);
    }
    double familiarity = prior.isCorrected(run) ? familiarity(distances[nearest]) : 0;
    return new Answer(prior.log(run), correction, familiarity, vector, nearest);
  }

  private double familiarity(float nearestSquared) {
    double spacings = Math.sqrt(nearestSquared) / Math.max(MIN_SPACING, landmarks.spacing());
    return Math.exp(-FADING * Math.max(0, spacings - 1));
  }
}
