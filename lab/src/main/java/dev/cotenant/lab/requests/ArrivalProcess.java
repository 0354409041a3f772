package dev.cotenant.lab.requests;

import dev.cotenant.domain.quantity.Nanoseconds;
import dev.cotenant.placement.fleet.Arrivals;
import java.util.SplittableRandom;

/** Arrival instants of one stream in order. */
final class ArrivalProcess {
  /*
   * Arrivals are those of a process with rate 1 whose time is the integral of the rate: each next one
   * is where the integral has grown by E, exponential with mean 1, or 1 at constant intervals. On a
   * line from r with slope s the integral over x is r·x + s·x²/2, so that x = 2E / (r + √(r² + 2sE)).
   */
  private final RateCurve curve;
  private final Arrivals kind;
  private final SplittableRandom random;
  private int point;
  private double second;

  ArrivalProcess(RateCurve curve, Arrivals kind, SplittableRandom random) {
    this.curve = curve;
    this.kind = kind;
    this.random = random;
  }

  /** The next instant in nanoseconds; {@link Long#MAX_VALUE} where the rate stays 0. */
  long next() {
    double left =
        switch (kind) {
          case CONSTANT -> 1;
          case POISSON -> -StrictMath.log(1 - random.nextDouble());
        };
    while (point + 1 < curve.points()) {
      double end = curve.secondsAt(point + 1);
      double length = end - curve.secondsAt(point);
      double slope =
          length == 0 ? 0 : (curve.perSecondAt(point + 1) - curve.perSecondAt(point)) / length;
      double rate = curve.perSecondAt(point) + slope * (second - curve.secondsAt(point));
      double area = (rate + curve.perSecondAt(point + 1)) / 2 * (end - second);
      if (length > 0 && left < area) {
        double root = Math.sqrt(Math.max(0, rate * rate + 2 * slope * left));
        return advance(2 * left / (rate + root));
      }
      left -= length > 0 ? area : 0;
      second = end;
      point++;
    }
    double last = curve.perSecondAt(point);
    return last > 0 ? advance(left / last) : Long.MAX_VALUE;
  }

  private long advance(double seconds) {
    second += seconds;
    return Math.round(second * Nanoseconds.PER_SECOND);
  }
}
