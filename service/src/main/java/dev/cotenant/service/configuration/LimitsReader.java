package dev.cotenant.service.configuration;

import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import java.util.Map;
import java.util.TreeMap;

/** Reads limits, those of a policy and those by which GPUs of a product differ. */
final class LimitsReader {
  private static final int MAX_TENANTS = 48; // CUDA MPS serves 48 clients on one GPU
  private static final double MAX_UTILIZATION_PERCENT = 1_000;
  private static final double MAX_SLOWDOWN = 100;

  private LimitsReader() {}

  static SharingLimits read(String key, LimitsConfiguration limits) {
    return new SharingLimits(
        utilization(key, limits.utilizationPercent()),
        headroom(key, limits.memoryHeadroomPercent()),
        tenants(key, limits.tenants()),
        slowdown(key, limits.slowdown()),
        coverage(key, limits.coveragePercent()));
  }

  /** The limits of {@code otherwise} but for those that are given. */
  static SharingLimits read(String key, OtherLimitsConfiguration limits, SharingLimits otherwise) {
    return new SharingLimits(
        limits.utilizationPercent().isPresent()
            ? utilization(key, limits.utilizationPercent().getAsDouble())
            : otherwise.summedUtilization(),
        limits.memoryHeadroomPercent().isPresent()
            ? headroom(key, limits.memoryHeadroomPercent().getAsDouble())
            : otherwise.memoryHeadroomFraction(),
        limits.tenants().isPresent()
            ? tenants(key, limits.tenants().getAsInt())
            : otherwise.tenants(),
        limits.slowdown().isPresent()
            ? slowdown(key, limits.slowdown().getAsDouble())
            : otherwise.slowdown(),
        limits.coveragePercent().isPresent()
            ? coverage(key, limits.coveragePercent().getAsDouble())
            : otherwise.leastCoverage());
  }

  /** Limits and the exceptions from them, each in what it is given. */
  static DeviceLimits read(
      String key, SharingLimits standard, Map<String, OtherLimitsConfiguration> devices) {
    Map<DeviceId, SharingLimits> exceptions = new TreeMap<>();
    devices.forEach((device, limits) ->
        exceptions.put(device(key, device), read(key + "." + device, limits, standard)));
    return new DeviceLimits(standard, exceptions);
  }

  private static DeviceId device(String key, String id) {
    try {
      return new DeviceId(id);
    } catch (IllegalArgumentException e) {
      throw Range.bad(key, "must be followed by a device id, not by '" + id + "'");
    }
  }

  private static SummedUtilization utilization(String key, double percent) {
    return SummedUtilization.ofPercent(
        Range.between(key + ".utilization-percent", percent, 0, MAX_UTILIZATION_PERCENT));
  }

  private static double headroom(String key, double percent) {
    if (!(percent >= 0 && percent < 100)) {
      throw Range.bad(key + ".memory-headroom-percent", "must be in [0, 100), is " + percent);
    }
    return percent / 100;
  }

  private static int tenants(String key, int tenants) {
    return (int) Range.between(key + ".tenants", tenants, 1, MAX_TENANTS);
  }

  private static Slowdown slowdown(String key, double ratio) {
    return Slowdown.ofRatio(Range.between(key + ".slowdown", ratio, 1, MAX_SLOWDOWN));
  }

  private static Coverage coverage(String key, double percent) {
    return Coverage.of(Range.between(key + ".coverage-percent", percent, 0, 100) / 100);
  }
}
