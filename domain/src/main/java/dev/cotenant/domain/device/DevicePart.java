package dev.cotenant.domain.device;

import java.util.List;

/**
 * A part of a device.
 *
 * @param smShare share of the device's SMs, above 0 and at most 1
 * @param memoryShare share of its memory bandwidth, above 0 and at most 1
 */
public record DevicePart(Device device, double smShare, double memoryShare) {
  private static final int COMPUTE_SLICES = 7;

  /** SMs that MIG uses: 98 of the 108 of an A100. */
  private static final double SMS_IN_SLICES = 98.0 / 108;

  /** Eighths of the memory of 1 to 7 compute slices; there are no profiles of 5 and 6. */
  private static final double[] MEMORY_EIGHTHS = {1, 2, 4, 4, 8, 8, 8};

  /** Compute slices of existing profiles. */
  public static final List<Integer> MIG_SLICES = List.of(1, 2, 3, 4, 7);

  public DevicePart {
    requireShare("smShare", smShare);
    requireShare("memoryShare", memoryShare);
  }

  private static void requireShare(String name, double share) {
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException(name + " must be in (0, 1], is " + share);
    }
  }

  public static DevicePart whole(Device device) {
    return new DevicePart(device, 1, 1);
  }

  /** Under MPS with a limit of active threads: bandwidth is not partitioned. */
  public static DevicePart mps(Device device, double share) {
    return new DevicePart(device, share, 1);
  }

  /**
   * A MIG instance.
   *
   * @param computeSlices 1 to 7
   */
  public static DevicePart mig(Device device, int computeSlices) {
    if (computeSlices < 1 || computeSlices > COMPUTE_SLICES) {
      throw new IllegalArgumentException("compute slices must be 1 to 7, are " + computeSlices);
    }
    double sms = SMS_IN_SLICES * computeSlices / COMPUTE_SLICES;
    return new DevicePart(device, sms, MEMORY_EIGHTHS[computeSlices - 1] / 8);
  }
}
