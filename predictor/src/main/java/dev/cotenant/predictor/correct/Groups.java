package dev.cotenant.predictor.correct;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.workload.RunSettings;

/** Names of groups of runs. */
final class Groups {
  private static final String BETWEEN = "@";

  private Groups() {}

  /** {@code a100-40gb/training/fp32}. */
  static String platform(DeviceId device, RunSettings settings) {
    return device + "/" + settings.mode() + "/" + settings.precision();
  }

  /** Whether a platform is of a device. */
  static boolean isOn(DeviceId device, String platform) {
    return platform.startsWith(device + "/");
  }

  static String join(String left, String right) {
    return left + BETWEEN + right;
  }
}
