package dev.cotenant.predictor.hybrid;

import dev.cotenant.learning.trees.BoostedTrees;
import dev.cotenant.learning.trees.TreeLearner;
import dev.cotenant.predictor.hybrid.prior.Covariates;
import dev.cotenant.predictor.hybrid.prior.Prior;
import dev.cotenant.predictor.hybrid.prior.Run;
import dev.cotenant.predictor.train.ResidualBoosting;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Learns a {@link HybridRegression}. The same runs, learner and seed give the same regression.
 *
 * <p>Trees are grown twice, one on what prior and smooth correction leave, one on what the prior
 * alone leaves, and averaged: they err in different places.
 */
final class HybridLearner {
  private static final int MAX_LANDMARKS = 300;

  private final Prior belief;
  private final TreeLearner learner;
  private final long seed;

  /**
   * @param belief the prior before any run is seen
   * @param learner grows the trees of the corrections
   */
  HybridLearner(Prior belief, TreeLearner learner, long seed) {
    this.belief = belief;
    this.learner = learner;
    this.seed = seed;
  }

  Prior belief() {
    return belief;
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
    int covariates =
        sample.size() < ResidualBoosting.FEW_RUNS ? Covariates.FIRST : prior.covariates();
    float[][] vectors = new float[sample.size()][];
    double[] misses = new double[sample.size()];
    for (int i = 0; i < vectors.length; i++) {
      double expected = prior.log(sample.runs().get(i));
      vectors[i] = Arrays.copyOf(Covariates.of(sample.runs().get(i), expected), covariates);
      misses[i] = sample.logs().values()[i] - expected;
    }
    double[] weights = sample.weights().values();
    Landmarks landmarks = Landmarks.of(placed(vectors), MAX_LANDMARKS);
    float[] heights = SmoothCorrection.fit(landmarks, vectors, misses, weights);
    double[] rest = new double[misses.length];
    for (int i = 0; i < rest.length; i++) {
      rest[i] = misses[i] - SmoothCorrection.sum(heights, landmarks.squaredDistances(vectors[i]));
    }
    BoostedTrees onRest = learner.fit(vectors, weights, rest, seed);
    BoostedTrees onAll = learner.fit(vectors, weights, misses, seed + 1);
    for (int i = 0; i < heights.length; i++) {
      heights[i] /= 2;
    }
    return new HybridRegression(
        prior,
        landmarks,
        new HybridRegression.Heights(heights),
        BoostedTrees.mean(List.of(onRest, onAll)),
        null);
  }
}
