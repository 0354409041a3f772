package dev.cotenant.interference.partition;

import dev.cotenant.domain.quantity.Milliseconds;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.InssTimes;
import dev.cotenant.interference.profile.ProfiledPartition;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.Optional;

/**
 * What a profiled service in a partition demands of a GPU, and how much slower it is beside a given
 * demand of others, by iGniter's model [iGniter, section 3.1]: the terms of {@link GpuState} that
 * do not depend on neighbours, found once. Neighbours count at their largest batches, the service
 * itself as a batch of one and as its largest. Immutable.
 */
public final class PartitionTerms {
  /*
   * Others enter the model by three sums alone: their number by Δ_sch, their L2 by t_act, and their
   * power by the frequency. So what neighbours do to a service takes a few multiplications.
   */
  /** The slowdown of a service whose device the power demand would stop, and the largest of all. */
  public static final double STOPPED = 1e6;

  private final DeviceProfile device;
  private final double watts;
  private final double l2Percent;
  private final Batch smallest;
  private final Batch largest;

  private PartitionTerms(ProfiledPartition partition) {
    WorkloadProfile profile = partition.profile();
    device = partition.device();
    double share = partition.share().percent();
    int most = partition.batch();
    int least = Math.min(most, profile.range().minBatch());
    largest = new Batch(profile, device, most, share);
    smallest = least == most ? largest : new Batch(profile, device, least, share);
    watts = largest.watts;
    l2Percent = largest.l2Percent;
  }

  /**
   * Empty where the profile gives no figure in this partition: beyond its range, an active time
   * that is not positive, or a power demand that would stop the clock.
   */
  public static Optional<PartitionTerms> of(ProfiledPartition partition) {
    if (!partition.isProfiled()) {
      return Optional.empty();
    }
    PartitionTerms terms = new PartitionTerms(partition);
    return terms.smallest.isValid() && terms.largest.isValid()
        ? Optional.of(terms)
        : Optional.empty();
  }

  /** The device whose coefficients these terms have. */
  public DeviceProfile device() {
    return device;
  }

  /** p at the largest batch, watts. */
  public double watts() {
    return watts;
  }

  /** c at the largest batch, percent of the device's L2. */
  public double l2Percent() {
    return l2Percent;
  }

  /**
   * Latency beside others over that alone in the partition, at least 1, of a batch of one or of the
   * largest, whichever suffers more.
   *
   * @param services number of services on the GPU, including this one
   * @param otherL2Percent Σc of the others
   * @param otherWatts Σp of the others
   * @return {@link #STOPPED} where the power demand would stop the clock
   */
  public double slowdown(int services, double otherL2Percent, double otherWatts) {
    double delay = device.schedulingDelayMillis(services);
    double slowdown =
        Math.max(
            smallest.slowdown(delay, otherL2Percent, otherWatts),
            largest.slowdown(delay, otherL2Percent, otherWatts));
    return slowdown < STOPPED ? Math.max(1, slowdown) : STOPPED;
  }

  /**
   * Whether one of two shares of the same service, or one between them, may be slowed down by no
   * more than a limit: a batch's slowdown grows or falls with the share, as the delay of scheduling
   * or the L2 weighs more.
   *
   * @param other terms in the other share
   */
  public boolean mayStay(
      PartitionTerms other, int services, double otherL2Percent, double otherWatts, double limit) {
    double delay = device.schedulingDelayMillis(services);
    return mayStay(smallest, other.smallest, delay, otherL2Percent, otherWatts, limit)
        && mayStay(largest, other.largest, delay, otherL2Percent, otherWatts, limit);
  }

  private static boolean mayStay(
      Batch one, Batch other, double delay, double l2Percent, double watts, double limit) {
    return one.slowdown(delay, l2Percent, watts) <= limit
        || other.slowdown(delay, l2Percent, watts) <= limit;
  }

  /**
   * The most L2 of others beside which the slowdown stays within a limit, percent; negative,
   * perhaps without bound, where it does not beside any.
   *
   * @param services number of services on the GPU, including this one
   * @param otherWatts Σp of the others
   */
  double mostOtherL2Percent(int services, double otherWatts, double limit) {
    double delay = device.schedulingDelayMillis(services);
    return Math.min(
        smallest.mostOtherL2Percent(delay, otherWatts, limit),
        largest.mostOtherL2Percent(delay, otherWatts, limit));
  }

  /** As above for the others' power in watts, beside a given L2 utilization of the others. */
  double mostOtherWatts(int services, double otherL2Percent, double limit) {
    double delay = device.schedulingDelayMillis(services);
    return Math.min(
        smallest.mostOtherWatts(delay, otherL2Percent, limit),
        largest.mostOtherWatts(delay, otherL2Percent, limit));
  }

  /** The terms of one batch. */
  private static final class Batch {
    private final DeviceProfile device;
    private final double cacheSensitivity;
    private final int kernels;
    private final double schedulingMillis;
    private final double activeMillis;
    private final double transferMillis;
    private final double watts;
    private final double l2Percent;
    private final double soloMillis;

    Batch(WorkloadProfile profile, DeviceProfile device, int batch, double sharePercent) {
      this.device = device;
      cacheSensitivity = profile.cacheSensitivity();
      kernels = profile.kernels();
      schedulingMillis = profile.schedulingMillis();
      activeMillis = profile.activeMillis(batch, sharePercent);
      transferMillis =
          (profile.inputBytes() + profile.outputBytes()) * batch / device.pcieBytesPerMillisecond();
      double rate = Milliseconds.PER_SECOND * batch / activeMillis;
      WorkloadProfile.Demand demand = profile.demand();
      watts = demand.powerSlope() * rate + demand.powerIntercept();
      InssTimes inss = profile.inss();
      l2Percent =
          inss == null
              ? demand.l2Slope() * rate + demand.l2Intercept()
              : Math.max(0, inss.l2Slope() * sharePercent + inss.l2Intercept());
      soloMillis = latencyMillis(device.schedulingDelayMillis(1), 0, 0);
    }

    boolean isValid() {
      return activeMillis > 0 && soloMillis > 0;
    }

    double slowdown(double delayMillis, double otherL2Percent, double otherWatts) {
      return latencyMillis(delayMillis, otherL2Percent, otherWatts) / soloMillis;
    }

    /** NaN where the clock would stop. */
    private double latencyMillis(double delayMillis, double otherL2Percent, double otherWatts) {
      double gpu = gpuMillis(delayMillis, otherL2Percent);
      return transferMillis + gpu * device.maxFrequencyMegahertz() / frequency(otherWatts);
    }

    /** t_sch + t_act at the full frequency. */
    private double gpuMillis(double delayMillis, double otherL2Percent) {
      return schedulingMillis
          + delayMillis * kernels
          + activeMillis * (1 + cacheSensitivity * otherL2Percent);
    }

    /** Megahertz; NaN where the clock would stop. */
    private double frequency(double otherWatts) {
      double left = device.frequencyMegahertz(device.idlePowerWatts() + watts + otherWatts);
      return left > 0 ? left : Double.NaN;
    }

    double mostOtherL2Percent(double delayMillis, double otherWatts, double limit) {
      double most =
          (limit * soloMillis - transferMillis)
              * frequency(otherWatts)
              / device.maxFrequencyMegahertz();
      double left = most - gpuMillis(delayMillis, 0);
      if (!(left >= 0)) {
        return Double.NEGATIVE_INFINITY;
      }
      return cacheSensitivity > 0
          ? left / (activeMillis * cacheSensitivity)
          : Double.POSITIVE_INFINITY;
    }

    double mostOtherWatts(double delayMillis, double otherL2Percent, double limit) {
      double stretch =
          (limit * soloMillis - transferMillis) / gpuMillis(delayMillis, otherL2Percent);
      if (!(stretch >= 1)) {
        return Double.NEGATIVE_INFINITY;
      }
      double beyond = (1 / stretch - 1) * device.maxFrequencyMegahertz() / device.frequencySlope();
      return device.frequencySlope() < 0
          ? device.maxPowerWatts() + beyond - device.idlePowerWatts() - watts
          : Double.POSITIVE_INFINITY;
    }
  }
}
