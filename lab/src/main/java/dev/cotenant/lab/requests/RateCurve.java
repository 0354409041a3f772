package dev.cotenant.lab.requests;

/**
 * A request rate over time: straight between points, level after the last. Public to construct,
 * readable in this package only: a policy with a reference learns nothing from it.
 */
public final class RateCurve {
  private final double[] seconds;
  private final double[] perSecond;

  private RateCurve(double[] seconds, double[] perSecond) {
    if (seconds.length == 0 || seconds.length != perSecond.length || seconds[0] != 0) {
      throw new IllegalArgumentException("a curve needs a rate for each instant, the first at 0");
    }
    for (int i = 0; i < seconds.length; i++) {
      boolean ordered = i == 0 || seconds[i] >= seconds[i - 1];
      if (!ordered || !(perSecond[i] >= 0 && perSecond[i] < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException(
            "instants must not decrease and rates must be at least 0, at " + seconds[i] + " s");
      }
    }
    this.seconds = seconds;
    this.perSecond = perSecond;
  }

  /** The same rate throughout. */
  public static RateCurve constant(double requestsPerSecond) {
    return new RateCurve(new double[] {0}, new double[] {requestsPerSecond});
  }

  /**
   * Straight lines between points.
   *
   * @param seconds ascending from 0; two equal ones make a jump
   * @param requestsPerSecond the rate at each, at least 0
   */
  public static RateCurve linear(double[] seconds, double[] requestsPerSecond) {
    return new RateCurve(seconds.clone(), requestsPerSecond.clone());
  }

  /**
   * Recorded rates, each for one interval; the last stays.
   *
   * @param intervalSeconds above 0
   */
  public static RateCurve recorded(double intervalSeconds, double[] requestsPerSecond) {
    double[] seconds = new double[2 * requestsPerSecond.length];
    double[] rates = new double[seconds.length];
    for (int i = 0; i < seconds.length; i++) {
      int interval = (i + 1) / 2;
      seconds[i] = interval * intervalSeconds;
      rates[i] = requestsPerSecond[i / 2];
    }
    return new RateCurve(seconds, rates);
  }

  int points() {
    return seconds.length;
  }

  double secondsAt(int point) {
    return seconds[point];
  }

  double perSecondAt(int point) {
    return perSecond[point];
  }

  /** The rate at an instant; at a jump, the rate after it. */
  double at(double second) {
    int after = 0;
    while (after < seconds.length && seconds[after] <= second) {
      after++;
    }
    if (after == seconds.length) {
      return perSecond[after - 1];
    }
    double part = (second - seconds[after - 1]) / (seconds[after] - seconds[after - 1]);
    return perSecond[after - 1] + part * (perSecond[after] - perSecond[after - 1]);
  }

  @Override
  public String toString() {
    return "RateCurve";
  }
}
