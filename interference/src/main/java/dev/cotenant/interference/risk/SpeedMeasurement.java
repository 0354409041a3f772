package dev.cotenant.interference.risk;

/**
 * A measured speed.
 *
 * @param colocation who was slowed by whom
 * @param speed of the victim over its speed alone, positive; 1 is no slowdown
 * @param noise standard deviation of the logarithm of a repeated measurement, 0 where the
 *     measurement is the truth
 * @param baseline standard deviation of the logarithm of the speed alone, which is the same in all
 *     measurements of one victim on one device: repeating them does not average it away
 */
public record SpeedMeasurement(
    VictimColocation colocation, double speed, double noise, double baseline) {
  private static final double SLOWEST = 0.4;
  private static final double FASTEST = 1.3;

  public SpeedMeasurement {
    if (!(speed > 0 && Double.isFinite(speed))) {
      throw new IllegalArgumentException("speed is " + speed + ", not positive");
    }
    if (!(noise >= 0 && Double.isFinite(noise))) {
      throw new IllegalArgumentException("noise is " + noise + ", negative or not a number");
    }
    if (!(baseline >= 0 && Double.isFinite(baseline))) {
      throw new IllegalArgumentException("baseline is " + baseline + ", negative or not a number");
    }
  }

  /** Of a speed alone that is known exactly. */
  public SpeedMeasurement(VictimColocation colocation, double speed, double noise) {
    this(colocation, speed, noise, 0);
  }

  /** The logarithm, clipped so that a dead job is not worth more than a slow one. */
  double logSpeed() {
    return StrictMath.log(Math.clamp(speed, SLOWEST, FASTEST));
  }
}
