package dev.cotenant.simulator.world;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.quantity.MemorySize;

/**
 * A product and its power.
 *
 * @param device the product
 * @param capacity memory that jobs can use
 * @param power what it draws
 */
public record GpuKind(Device device, MemorySize capacity, Power power) {
  public GpuKind {
    if (capacity.bytes() == 0) {
      throw new IllegalArgumentException("capacity of " + device.id() + " must be positive");
    }
  }

  /**
   * Power demand as the idle power and the power of each workload, which is proportional to its
   * utilization; the GPU draws at most its cap, beyond which its clock slows down [iGniter, section
   * 3.1].
   *
   * @param idleWatts drawn without work
   * @param fullWatts demand of workloads with a summed utilization of 100 %
   * @param cap limit of the drawn power
   */
  public record Power(double idleWatts, double fullWatts, Cap cap) {
    public Power {
      if (!(idleWatts >= 0 && idleWatts <= fullWatts && idleWatts <= cap.watts())) {
        throw new IllegalArgumentException(
            "must hold 0 <= idleWatts <= fullWatts, capWatts, is "
                + idleWatts
                + ", "
                + fullWatts
                + ", "
                + cap.watts());
      }
    }

    /** Draws at most the power of 100 % utilization and keeps its clock. */
    public Power(double idleWatts, double fullWatts) {
      this(idleWatts, fullWatts, new Cap(fullWatts, 0));
    }

    /** What workloads ask for. */
    double demandWatts(double summedUtilizationPercent) {
      return idleWatts + (fullWatts - idleWatts) * summedUtilizationPercent / 100;
    }

    /** What the GPU draws. */
    double watts(double summedUtilizationPercent) {
      return Math.min(cap.watts(), demandWatts(summedUtilizationPercent));
    }

    /** Clock frequency over its maximum. */
    double frequencyRatio(double summedUtilizationPercent) {
      double excess = demandWatts(summedUtilizationPercent) - cap.watts();
      return Math.max(Cap.MIN_FREQUENCY, 1 - cap.lossPerWatt() * Math.max(0, excess));
    }
  }

  /**
   * A limit of power.
   *
   * @param watts at most drawn
   * @param lossPerWatt share of the maximum clock frequency lost for each watt of demand beyond the
   *     limit, −α_f / F in the paper; 0 keeps the clock
   */
  public record Cap(double watts, double lossPerWatt) {
    /**
     * The paper's line would stop the clock; GPUs go down to about a tenth, such as 135 of 1,530
     * MHz on a V100.
     */
    private static final double MIN_FREQUENCY = 0.1;

    public Cap {
      if (!(watts >= 0 && watts < Double.POSITIVE_INFINITY && lossPerWatt >= 0)) {
        throw new IllegalArgumentException(
            "watts must be finite and at least 0, lossPerWatt at least 0, are "
                + watts
                + ", "
                + lossPerWatt);
      }
    }
  }
}
