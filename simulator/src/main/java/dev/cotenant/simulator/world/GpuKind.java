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
   * Power as a line over utilization: idle at 0 %, full at 100 % and more.
   *
   * @param idleWatts drawn without work
   * @param fullWatts drawn at 100 %
   */
  public record Power(double idleWatts, double fullWatts) {
    public Power {
      if (!(idleWatts >= 0 && idleWatts <= fullWatts)) {
        throw new IllegalArgumentException(
            "must hold 0 <= idleWatts <= fullWatts, is " + idleWatts + ", " + fullWatts);
      }
    }

    double watts(double utilizationPercent) {
      return idleWatts + (fullWatts - idleWatts) * utilizationPercent / 100;
    }
  }
}
