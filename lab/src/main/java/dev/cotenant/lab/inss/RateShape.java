package dev.cotenant.lab.inss;

import dev.cotenant.lab.requests.RateCurve;
import dev.cotenant.simulator.event.Draws;
import java.util.List;
import java.util.Locale;

/** How a rate changes, between {@link #LOW} and {@link #HIGH} of what a whole GPU serves. */
enum RateShape {
  /** Two jumps; every third service has no requests before the first: it starts cold. */
  STEPS {
    @Override
    RateCurve curve(Draws draws, double whole, int service) {
      double first = draws.uniform(SECONDS / 6, SECONDS / 2);
      double second = draws.uniform(SECONDS / 2, SECONDS * 5 / 6);
      double start = service % 3 == 2 ? 0 : level(draws, whole);
      double middle = level(draws, whole);
      double end = level(draws, whole);
      return RateCurve.linear(
          new double[] {0, first, first, second, second},
          new double[] {start, start, middle, middle, end});
    }
  },

  /** Up within a minute, and down again. */
  RAMPS {
    @Override
    RateCurve curve(Draws draws, double whole, int service) {
      double start = draws.uniform(SECONDS / 10, SECONDS / 2);
      double low = draws.uniform(LOW, (LOW + HIGH) / 2) * whole;
      double high = draws.uniform((LOW + HIGH) / 2, HIGH) * whole;
      return RateCurve.linear(
          new double[] {0, start, start + 60, start + 90, start + 150},
          new double[] {low, low, high, high, low});
    }
  },

  /** A day in the time of the run, with its peak at an hour of its own. */
  DIURNAL {
    @Override
    RateCurve curve(Draws draws, double whole, int service) {
      double phase = draws.uniform(0, 2 * Math.PI);
      double[] seconds = new double[POINTS + 1];
      double[] rates = new double[POINTS + 1];
      for (int i = 0; i <= POINTS; i++) {
        seconds[i] = i * SECONDS / POINTS;
        double wave = StrictMath.sin(phase + 2 * Math.PI * i / POINTS);
        rates[i] = whole * (LOW + (HIGH - LOW) * (1 + wave) / 2);
      }
      return RateCurve.linear(seconds, rates);
    }
  };

  /** Of a run. */
  static final double SECONDS = 300;

  static final double LOW = InssEnvironment.LOW;
  static final double HIGH = InssEnvironment.HIGH;
  private static final int POINTS = 24;

  private static double level(Draws draws, double whole) {
    return draws.uniform(LOW, HIGH) * whole;
  }

  /** The rates of one service, of which a whole GPU serves so many a second. */
  abstract RateCurve curve(Draws draws, double whole, int service);

  /**
   * Load of a recorded pod in place of a shape: its duty cycles by interval, relative to the
   * maximum.
   */
  static RateCurve recorded(List<Double> duties, double whole) {
    double most = duties.stream().mapToDouble(Double::doubleValue).max().orElse(1);
    double[] rates =
        duties.stream()
            .mapToDouble(duty -> whole * (LOW + (HIGH - LOW) * duty / Math.max(most, 1e-9)))
            .toArray();
    return RateCurve.recorded(SECONDS / rates.length, rates);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
