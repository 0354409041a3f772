package dev.cotenant.interference.profile;

import dev.cotenant.interference.profile.WorkloadProfile.ActiveTime;
import dev.cotenant.interference.profile.WorkloadProfile.Demand;
import dev.cotenant.interference.solo.SoloPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Writes profiles in the form that {@link ProfileFile} reads, with numbers to the last digit. */
public final class ProfileText {
  /** The first line of a file. */
  public static final String FIRST_LINE = "cotenant-profiles 1";

  private ProfileText() {}

  /** A file of these devices and workloads. */
  public static String of(List<DeviceProfile> devices, List<WorkloadProfile> workloads) {
    List<String> lines = new ArrayList<>(List.of(FIRST_LINE));
    devices.forEach(device -> lines.add(line(device)));
    workloads.forEach(workload -> lines.add(line(workload)));
    return String.join("\n", lines) + "\n";
  }

  /** The line of a device. */
  public static String line(DeviceProfile device) {
    return "device "
        + device.device()
        + cell("max_power_watts", device.maxPowerWatts())
        + cell("max_frequency_mhz", device.maxFrequencyMegahertz())
        + cell("idle_power_watts", device.idlePowerWatts())
        + cell("pcie_bytes_per_ms", device.pcieBytesPerMillisecond())
        + cell("frequency_slope_mhz_per_watt", device.frequencySlope())
        + cell("scheduling_slope_ms", device.schedulingSlope())
        + cell("scheduling_intercept_ms", device.schedulingIntercept())
        + cell("share_unit_percent", device.shareUnitPercent());
  }

  /** The line of a workload. */
  public static String line(WorkloadProfile workload) {
    ActiveTime time = workload.activeTime();
    Demand demand = workload.demand();
    return "workload "
        + workload.name()
        + " device="
        + workload.device()
        + cell("k1", time.k1())
        + cell("k2", time.k2())
        + cell("k3", time.k3())
        + cell("k4", time.k4())
        + cell("k5", time.k5())
        + cell("cache_sensitivity", workload.cacheSensitivity())
        + cell("power_slope", demand.powerSlope())
        + cell("power_intercept_watts", demand.powerIntercept())
        + cell("l2_slope", demand.l2Slope())
        + cell("l2_intercept_percent", demand.l2Intercept())
        + cell("kernels", workload.kernels())
        + cell("scheduling_ms", workload.schedulingMillis())
        + cell("input_bytes", workload.inputBytes())
        + cell("output_bytes", workload.outputBytes())
        + (workload.inss() == null ? "" : inss(workload.inss()));
  }

  private static String inss(InssTimes known) {
    return cell("l2_share_slope", known.l2Slope())
        + cell("l2_share_intercept_percent", known.l2Intercept())
        + " points="
        + known.activeTime().points().stream()
            .map(ProfileText::point)
            .collect(Collectors.joining(","));
  }

  private static String point(SoloPoint point) {
    return point.batch() + "@" + number(point.sharePercent()) + ":" + number(point.latencyMillis());
  }

  private static String cell(String key, double value) {
    return " " + key + "=" + number(value);
  }

  private static String number(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : Double.toString(value);
  }
}
