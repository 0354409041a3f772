package dev.cotenant.placement.serving;

/** Probabilities of a Poisson number of arrivals. */
final class Poisson {
  private static final double DEVIATIONS = 10;
  private static final int FEW = 20;

  private final double[] exactly;
  private final double[] atLeast;

  /**
   * With this mean.
   *
   * @param mean at least 0, below 700, where the probability of none can be represented
   */
  Poisson(double mean) {
    int most = (int) Math.ceil(mean + DEVIATIONS * Math.sqrt(mean) + FEW);
    exactly = new double[most + 1];
    atLeast = new double[most + 2];
    double probability = Math.exp(-mean);
    for (int i = 0; i <= most; i++) {
      exactly[i] = probability;
      probability *= mean / (i + 1);
    }
    for (int i = most; i >= 0; i--) {
      atLeast[i] = Math.min(1, atLeast[i + 1] + exactly[i]);
    }
    atLeast[0] = 1;
  }

  /** Beyond this number the probability is negligible. */
  int most() {
    return exactly.length - 1;
  }

  /** The probability of exactly so many, at most {@link #most()}. */
  double exactly(int number) {
    return exactly[number];
  }

  /** Probability of at least this number. */
  double atLeast(int number) {
    return number <= 0 ? 1 : number < atLeast.length ? atLeast[number] : 0;
  }
}
