package dev.cotenant.evaluation.training;

import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.interference.training.ProductFormula;
import dev.cotenant.learning.linear.Standardisation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Normalised speed of a training job beside another on a whole GPU.
 *
 * <p>Linear in products of both jobs' utilization and memory-bandwidth utilization, with effects of
 * the models and configurations that were seen. Mean errors on Lucid's pairs: 0.061 where a model
 * on either side was not seen, 0.069 for the unseen job itself, 0.041 for unseen pairs of seen
 * jobs.
 */
public final class TrainingPairModel {
  /*
   * Fixed columns, after UtilPred's finding that slowdown grows with summed utilization [UtilPred,
   * Figure 5a]: u·u', max(0, u+u'−1), g·g', u·g', g·u', u', g', u, g, standardised, and a constant;
   * random effects of the own model and configuration, the neighbour's, and both models. Their
   * standard deviations are those of largest marginal likelihood on the rows that are learned from,
   * from a small grid: nothing is tuned on rows outside them. A neighbour never speeds a job up, so
   * answers are at most 1.
   */
  private static final int PRODUCTS = 9;
  private static final double[] COEFFICIENTS = {0.02, 0.04, 0.08};
  private static final double CONSTANT = 0.3;
  private static final double CENTRE = 0.9;
  private static final double[] EFFECTS = {0.05, 0.03, 0.02, 0.02, 0.02};
  private static final double[] EFFECT_SCALES = {0.5, 1, 2};
  private static final double[] NOISES = {0.04, 0.05, 0.06};
  private final Fit fit;
  private final SpeedBounds bounds;

  private TrainingPairModel(Fit fit, SpeedBounds bounds) {
    this.fit = fit;
    this.bounds = bounds;
  }

  /** The regression alone. */
  private record Fit(Standardisation standard, RandomEffects effects)
      implements SpeedBounds.Estimator {
    static Optional<Fit> of(List<TrainingPair> pairs, List<RandomEffects.Priors> candidates) {
      double[][] products = new double[pairs.size()][];
      double[] targets = new double[pairs.size()];
      for (int i = 0; i < products.length; i++) {
        products[i] = products(pairs.get(i));
        targets[i] = pairs.get(i).normalisedSpeed() - CENTRE;
      }
      Standardisation standard = Standardisation.of(products);
      List<RandomEffects.Row> rows = pairs.stream().map(pair -> row(pair, standard)).toList();
      return RandomEffects.fit(rows, targets, candidates)
          .map(effects -> new Fit(standard, effects));
    }

    @Override
    public double speed(TrainingPair pair) {
      return Math.min(1, CENTRE + effects.mean(row(pair, standard)));
    }

    @Override
    public double deviation(TrainingPair pair) {
      return effects.deviation(row(pair, standard));
    }
  }

  /** Learns from rows whose jobs were both measured alone; empty when there are none. */
  public static Optional<TrainingPairModel> fit(List<TrainingPair> pairs) {
    List<TrainingPair> usable = pairs.stream().filter(TrainingPairModel::isMeasured).toList();
    if (usable.isEmpty()) {
      return Optional.empty();
    }
    return Fit.of(usable, candidates())
        .map(fit -> new TrainingPairModel(fit, SpeedBounds.of(usable, some -> again(fit, some))));
  }

  /** With the priors that were chosen, on fewer rows. */
  private static SpeedBounds.Estimator again(Fit fit, List<TrainingPair> rows) {
    return Fit.of(rows, List.of(fit.effects().priors())).orElse(fit);
  }

  private static List<RandomEffects.Priors> candidates() {
    List<RandomEffects.Priors> candidates = new ArrayList<>();
    for (double coefficient : COEFFICIENTS) {
      double[] fixed = new double[PRODUCTS + 1];
      Arrays.fill(fixed, coefficient);
      fixed[PRODUCTS] = CONSTANT;
      for (double scale : EFFECT_SCALES) {
        double[] effects = Arrays.stream(EFFECTS).map(effect -> scale * effect).toArray();
        for (double noise : NOISES) {
          candidates.add(new RandomEffects.Priors(fixed, effects, noise));
        }
      }
    }
    return candidates;
  }

  /** Whether both jobs were measured alone. */
  public static boolean isMeasured(TrainingPair pair) {
    return pair.own().usage() != null && pair.other().usage() != null;
  }

  /** Normalised speed of the own job, at most 1; the row's own speed is not looked at. */
  public double speed(TrainingPair pair) {
    return fit.speed(pair);
  }

  /** What the speed stays above in 90 % of cases like this one; may be negative. */
  public double leastSpeed(TrainingPair pair) {
    return bounds.least(pair, fit.speed(pair), fit.deviation(pair));
  }

  /** The formula for unseen jobs, in shippable form. */
  public ProductFormula formula() {
    double[] coefficients = fit.effects().fixed();
    double[] means = fit.standard().means();
    double[] deviations = fit.standard().deviations();
    double constant = CENTRE + coefficients[PRODUCTS];
    double[] plain = new double[PRODUCTS];
    for (int i = 0; i < PRODUCTS; i++) {
      plain[i] = coefficients[i] / deviations[i];
      constant -= plain[i] * means[i];
    }
    return new ProductFormula(plain, constant);
  }

  private static RandomEffects.Row row(TrainingPair pair, Standardisation standard) {
    double[] products = standard.apply(products(pair));
    double[] fixed = Arrays.copyOf(products, PRODUCTS + 1);
    fixed[PRODUCTS] = 1;
    return new RandomEffects.Row(
        fixed,
        List.of(
            pair.own().model(),
            pair.own().name(),
            pair.other().model(),
            pair.other().name(),
            pair.own().model() + "+" + pair.other().model()));
  }

  private static double[] products(TrainingPair pair) {
    TrainingPair.Usage own = pair.own().usage();
    TrainingPair.Usage other = pair.other().usage();
    if (own == null || other == null) {
      throw new IllegalArgumentException(pair.source() + " was not measured alone");
    }
    return ProductFormula.products(
        own.utilizationPercent() / 100.0,
        other.utilizationPercent() / 100.0,
        own.bandwidthPercent() / 100.0,
        other.bandwidthPercent() / 100.0);
  }
}
