package dev.cotenant.interference.training;

import dev.cotenant.domain.colocation.TrainingPair;
import dev.cotenant.interference.fit.Standardisation;
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
   * random effects of the own model and configuration, the neighbour's, and both models. Standard
   * deviations are round numbers near the maximum of the marginal likelihood. A neighbour never
   * speeds a job up, so answers are at most 1.
   */
  private static final int PRODUCTS = 9;
  private static final double COEFFICIENT = 0.04;
  private static final double CONSTANT = 0.3;
  private static final double CENTRE = 0.9;
  private static final double[] EFFECTS = {0.05, 0.03, 0.02, 0.02, 0.02};
  private static final double NOISE = 0.05;
  private static final double PERCENT = 100;

  private final Standardisation standard;
  private final RandomEffects effects;

  private TrainingPairModel(Standardisation standard, RandomEffects effects) {
    this.standard = standard;
    this.effects = effects;
  }

  /** Learns from rows whose jobs were both measured alone; empty when there are none. */
  public static Optional<TrainingPairModel> fit(List<TrainingPair> pairs) {
    List<TrainingPair> usable = pairs.stream().filter(TrainingPairModel::isMeasured).toList();
    if (usable.isEmpty()) {
      return Optional.empty();
    }
    double[][] products = new double[usable.size()][];
    double[] targets = new double[usable.size()];
    for (int i = 0; i < products.length; i++) {
      products[i] = products(usable.get(i));
      targets[i] = usable.get(i).normalisedSpeed() - CENTRE;
    }
    Standardisation standard = Standardisation.of(products);
    double[] fixed = new double[PRODUCTS + 1];
    java.util.Arrays.fill(fixed, COEFFICIENT);
    fixed[PRODUCTS] = CONSTANT;
    List<RandomEffects.Row> rows = usable.stream().map(pair -> row(pair, standard)).toList();
    return RandomEffects.fit(rows, targets, new RandomEffects.Priors(fixed, EFFECTS, NOISE))
        .map(effects -> new TrainingPairModel(standard, effects));
  }

  /** Whether both jobs were measured alone. */
  public static boolean isMeasured(TrainingPair pair) {
    return pair.own().usage() != null && pair.other().usage() != null;
  }

  /** Normalised speed of the own job, at most 1; the row's own speed is not looked at. */
  public double speed(TrainingPair pair) {
    return Math.min(1, CENTRE + effects.mean(row(pair, standard)));
  }

  /** Standard deviation of one measurement around {@link #speed}. */
  public double deviation(TrainingPair pair) {
    return effects.deviation(row(pair, standard));
  }

  /** What it says of jobs that it never saw, in a form that can be shipped. */
  public ProductFormula formula() {
    double[] coefficients = effects.fixed();
    double[] means = standard.means();
    double[] deviations = standard.deviations();
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
    double[] fixed = java.util.Arrays.copyOf(products, PRODUCTS + 1);
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
        own.utilizationPercent() / PERCENT,
        other.utilizationPercent() / PERCENT,
        own.bandwidthPercent() / PERCENT,
        other.bandwidthPercent() / PERCENT);
  }
}
