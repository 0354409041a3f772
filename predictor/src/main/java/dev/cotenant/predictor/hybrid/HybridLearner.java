package dev.cotenant.predictor.hybrid;

import dev.cotenant.learning.trees.BoostedTrees;
import dev.cotenant.learning.trees.BoostingLearner;
import dev.cotenant.learning.trees.BoostingSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Learns a {@link HybridRegression}. Same runs and seed give the same regression.
 *
 * <p>Two chains of trees are grown, one on what prior and smooth correction leave, one on what the
 * prior alone leaves, and averaged: they err in different places.
 */
final class HybridLearner {
  private static final int MOST_LANDMARKS = 300;

  /** Below this many runs only a few shallow trees differ from noise. */
  private static final int FEW_RUNS = 500;

  private static final BoostingSettings FOR_FEW =
      new BoostingSettings(300, 3, 0.05, 0.7, 0.5, 3, 1);
  private static final BoostingSettings FOR_MANY =
      new BoostingSettings(750, 5, 0.04, 0.7, 0.5, 8, 3);

  /** Of thirty covariates that tell much the same, a tree is offered more. */
  private static final BoostingSettings FOR_MANY_COVARIATES =
      new BoostingSettings(750, 5, 0.04, 0.7, 0.7, 8, 3);

  private final Prior belief;
  private final long seed;

  /**
   * @param belief the prior before any run is seen
   */
  HybridLearner(Prior belief, long seed) {
    this.belief = belief;
    this.seed = seed;
  }

  /** Measured runs: their logarithms of one target, and how much each counts (1 is a run). */
  record Sample(List<Run> runs, Numbers logs, Numbers weights) {
    Sample {
      runs = List.copyOf(runs);
    }

    int size() {
      return runs.size();
    }

    Sample select(int[] indices) {
      List<Run> chosen = new ArrayList<>(indices.length);
      double[] values = new double[indices.length];
      double[] counts = new double[indices.length];
      for (int i = 0; i < indices.length; i++) {
        chosen.add(runs.get(indices[i]));
        values[i] = logs.values()[indices[i]];
        counts[i] = weights.values()[indices[i]];
      }
      return new Sample(chosen, new Numbers(values), new Numbers(counts));
    }
  }

  /** One number a run; not to be written. */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere, read only
  record Numbers(double... values) {}

  /** The prior alone, fitted to the sample, and how far off it may be. */
  ParameterUncertainty prior(Sample sample) {
    return new PriorFit(belief)
        .fit(sample.runs(), sample.logs().values(), sample.weights().values());
  }

  private static BoostingSettings settings(int runs, int covariates) {
    if (runs < FEW_RUNS) {
      return FOR_FEW;
    }
    return covariates > Covariates.FIRST ? FOR_MANY_COVARIATES : FOR_MANY;
  }

  /** As much of vectors as landmarks look at. */
  private static float[][] placed(float[][] vectors) {
    float[][] placed = new float[vectors.length][];
    for (int i = 0; i < placed.length; i++) {
      placed[i] = Arrays.copyOf(vectors[i], Math.min(vectors[i].length, Covariates.PLACED));
    }
    return placed;
  }

  HybridRegression fit(Sample sample) {
    Prior prior = prior(sample).prior();
    int covariates = sample.size() < FEW_RUNS ? Covariates.FIRST : prior.covariates();
    float[][] vectors = new float[sample.size()][];
    double[] misses = new double[sample.size()];
    for (int i = 0; i < vectors.length; i++) {
      double expected = prior.log(sample.runs().get(i));
      vectors[i] = Arrays.copyOf(Covariates.of(sample.runs().get(i), expected), covariates);
      misses[i] = sample.logs().values()[i] - expected;
    }
    double[] weights = sample.weights().values();
    Landmarks landmarks = Landmarks.of(placed(vectors), MOST_LANDMARKS);
    float[] heights = SmoothCorrection.fit(landmarks, vectors, misses, weights);
    double[] rest = new double[misses.length];
    for (int i = 0; i < rest.length; i++) {
      rest[i] = misses[i] - SmoothCorrection.sum(heights, landmarks.squaredDistances(vectors[i]));
    }
    BoostingSettings settings = settings(sample.size(), covariates);
    BoostingLearner learner = new BoostingLearner(vectors, weights);
    BoostedTrees onRest = learner.fit(rest, settings, seed);
    BoostedTrees onAll = learner.fit(misses, settings, seed + 1);
    for (int i = 0; i < heights.length; i++) {
      heights[i] /= 2;
    }
    return new HybridRegression(
        prior,
        landmarks,
        new HybridRegression.Heights(heights),
        BoostedTrees.mean(List.of(onRest, onAll)));
  }
}
