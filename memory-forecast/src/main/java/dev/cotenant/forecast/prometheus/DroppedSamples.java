package dev.cotenant.forecast.prometheus;

/**
 * How many samples were left out, and why.
 *
 * @param blank DCGM's sentinels for a value it does not have, just below 2^63
 * @param notFinite NaN and infinities
 * @param outOfRange negative, a size above the device's capacity, a utilization above 100 %
 * @param repeated a second value for one device and instant, and what lookback shows again after
 *     the newest real sample
 * @param future later than this machine's clock and the allowed skew
 * @param nameless of series without a UUID
 */
public record DroppedSamples(
    int blank, int notFinite, int outOfRange, int repeated, int future, int nameless) {
  public static final DroppedSamples NONE = new DroppedSamples(0, 0, 0, 0, 0, 0);

  public int total() {
    return blank + notFinite + outOfRange + repeated + future + nameless;
  }
}
