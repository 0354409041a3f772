package dev.cotenant.placement.igniter;

import dev.cotenant.interference.profile.DeviceProfile;

/**
 * r_unit, the step in which shares of a device are given out, so that shares are counted and add up
 * exactly.
 *
 * @param permille thousandths of the GPU, 1 to 1000
 */
record ShareUnit(int permille) {
  private static final int WHOLE_PERMILLE = 1000;
  private static final double PERMILLE_PER_PERCENT = 10;

  /** That of a device, to the nearest thousandth. */
  static ShareUnit of(DeviceProfile device) {
    long permille = Math.round(device.shareUnitPercent() * PERMILLE_PER_PERCENT);
    return new ShareUnit(Math.clamp(permille, 1, WHOLE_PERMILLE));
  }

  /** How many fit on a GPU. */
  int perGpu() {
    return WHOLE_PERMILLE / permille;
  }

  double percent(int units) {
    return permille(units) / PERMILLE_PER_PERCENT;
  }

  int permille(int units) {
    return units * permille;
  }
}
