package dev.cotenant.placement.search;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.profile.DeviceProfile;

/**
 * The least share that a service needs among neighbours, by an arrival model. One answer at a time:
 * the kernel of a search, which asks millions of times.
 */
abstract class Needs {
  /** More units than any device has: there is no share that is enough. */
  static final int NEVER = 1 << 20;

  private final Share unit;

  int units;
  int batch;
  double requestsPerSecond;

  Needs(DeviceProfile device) {
    unit = Share.atLeastPercent(device.shareUnitPercent());
  }

  /**
   * Answers in {@link #units} ({@link #NEVER} where none is enough), {@link #batch} and, running
   * without a pause, {@link #requestsPerSecond} alone.
   *
   * @param kind which
   * @param delayMillis Δ_sch of each kernel
   * @param othersPercent L2 utilization of the neighbours
   * @param stretch F/f, at least 1
   */
  abstract void ask(int kind, double delayMillis, double othersPercent, double stretch);

  /**
   * No batch and share that keep the limits run at fewer requests per second, running without a
   * pause; infinite where none keeps them. Arguments as of {@link #ask}.
   */
  abstract double leastRate(int kind, double delayMillis, double othersPercent, double stretch);

  /** The least rate among shares of at most so many units, at the last request. */
  abstract double leastRateWithin(int mostUnits);

  /** The steps of a share. */
  final Share unit() {
    return unit;
  }

  final double unitPercent() {
    return unit.percent();
  }

  /** How many of them a device has. */
  final int wholeUnits() {
    return unit.perGpu();
  }
}
