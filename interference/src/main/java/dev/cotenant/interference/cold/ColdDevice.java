package dev.cotenant.interference.cold;

import dev.cotenant.domain.device.Device;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfileBook;

/**
 * Coefficients of a device that was never profiled: those of the V100 that iGniter's authors
 * profiled, with this device's power.
 */
public final class ColdDevice {
  /*
   * Scheduling delays and the rate of PCIe are the V100's: the first depends on the driver more than
   * on the device, the second is not larger on any device of the catalogue, so that transfers are
   * over-estimated. The power limit is the board's, idle power the same share of it (53.5/300), and
   * the clock loses for each percent of power beyond the limit what the V100 loses.
   */
  private static final String PROFILED = "v100-16gb";

  private ColdDevice() {}

  /** The stand-in. */
  public static DeviceProfile profile(Device device) {
    DeviceProfile known = ProfileBook.builtIn().requireDevice(PROFILED);
    double scale = device.boardPowerWatts() / known.maxPowerWatts();
    return new DeviceProfile(
        device.id().value(),
        device.boardPowerWatts(),
        known.maxFrequencyMegahertz(),
        known.idlePowerWatts() * scale,
        known.pcieBytesPerMillisecond(),
        known.frequencySlope() / scale,
        known.schedulingSlope(),
        known.schedulingIntercept(),
        known.shareUnitPercent());
  }
}
