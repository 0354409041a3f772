package dev.cotenant.placement.search;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;

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

  /**
   * What services that are alike ask of one kind of device.
   *
   * @param profile of all of them
   * @param sloMillis the latency objective of a request
   * @param requestsPerSecond of each
   * @param memoryBytes of each
   */
  record Kind(
      WorkloadProfile profile, double sloMillis, double requestsPerSecond, long memoryBytes) {}

  /**
   * A partition and its neighbours' interference.
   *
   * @param batch the largest that it runs
   * @param units of its share
   * @param delayMillis Δ_sch of each kernel
   * @param othersPercent L2 utilization of the neighbours
   * @param stretch F/f, at least 1
   */
  record Running(int batch, int units, double delayMillis, double othersPercent, double stretch) {}

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

  /** Whether a partition keeps the limits. */
  abstract boolean keeps(int kind, Running running);

  /** The batches that an answer may name, ascending. */
  abstract int[] batches(int kind);

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
