package dev.cotenant.evaluation.training;

import dev.cotenant.domain.colocation.TrainingPair;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Normalised speed of a training job beside another, from their names alone: for jobs that were
 * measured in other pairs, where nothing is known of their utilization.
 */
public final class JobPairModel {
  /*
   * A constant and random effects of both jobs, both models, both models together and each job with
   * the other's model; their deviations are those of largest marginal likelihood on the rows that are
   * learned from, from a small grid. It fills the matrix of pairs from its rows and columns. A
   * neighbour never speeds a job up.
   */
  private static final double CONSTANT = 0.3;
  private static final double CENTRE = 0.7;
  private static final double[] EFFECTS = {0.1, 0.1, 0.1, 0.1, 0.1, 0.07, 0.07};
  private static final double[] EFFECT_SCALES = {0.5, 1, 2};
  private static final double[] NOISES = {0.02, 0.04};

  private final RandomEffects effects;

  private JobPairModel(RandomEffects effects) {
    this.effects = effects;
  }

  /** Learns from at least one row. */
  public static Optional<JobPairModel> fit(List<TrainingPair> pairs) {
    return fit(pairs, candidates());
  }

  /** Fits different rows with the deviations selected here. */
  public Optional<JobPairModel> again(List<TrainingPair> pairs) {
    return fit(pairs, List.of(effects.priors()));
  }

  private static Optional<JobPairModel> fit(
      List<TrainingPair> pairs, List<RandomEffects.Priors> candidates) {
    double[] targets = pairs.stream().mapToDouble(p -> p.normalisedSpeed() - CENTRE).toArray();
    return RandomEffects.fit(pairs.stream().map(JobPairModel::row).toList(), targets, candidates)
        .map(JobPairModel::new);
  }

  private static List<RandomEffects.Priors> candidates() {
    List<RandomEffects.Priors> candidates = new ArrayList<>();
    for (double scale : EFFECT_SCALES) {
      double[] effects = Arrays.stream(EFFECTS).map(effect -> scale * effect).toArray();
      for (double noise : NOISES) {
        candidates.add(new RandomEffects.Priors(new double[] {CONSTANT}, effects, noise));
      }
    }
    return candidates;
  }

  /** Normalised speed of the own job, at most 1; the row's own speed is not looked at. */
  public double speed(TrainingPair pair) {
    return Math.min(1, CENTRE + effects.mean(row(pair)));
  }

  private static RandomEffects.Row row(TrainingPair pair) {
    String own = pair.own().name();
    String other = pair.other().name();
    String ownModel = pair.own().model();
    String otherModel = pair.other().model();
    return new RandomEffects.Row(
        new double[] {1},
        List.of(
            own,
            ownModel,
            other,
            otherModel,
            ownModel + "+" + otherModel,
            own + "+" + otherModel,
            ownModel + "+" + other));
  }
}
