package dev.cotenant.domain.decision;

import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.Slowdown;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Within what limits workloads may share a GPU, which may differ between products.
 *
 * @param standard where no exception is made
 * @param exceptions limits of products with their own
 */
public record DeviceLimits(SharingLimits standard, Map<DeviceId, SharingLimits> exceptions) {
  public DeviceLimits {
    exceptions = Map.copyOf(exceptions);
  }

  /** The same on every product. */
  public static DeviceLimits of(SharingLimits everywhere) {
    return new DeviceLimits(everywhere, Map.of());
  }

  /** The limits on GPUs of this product. */
  public SharingLimits on(DeviceId device) {
    return exceptions.getOrDefault(device, standard);
  }

  /** Whether trials are allowed on any product. */
  public boolean allowTrials() {
    return Stream.concat(Stream.of(standard), exceptions.values().stream())
        .anyMatch(limits -> limits.risk().exploration().areAllowed());
  }

  /** Products by the level of their predictions. */
  public SortedMap<Coverage, Set<DeviceId>> byLevel(Set<DeviceId> devices) {
    return byLevel(devices, SharingLimits::level);
  }

  /** Products by a level of their limits. */
  public SortedMap<Coverage, Set<DeviceId>> byLevel(
      Set<DeviceId> devices, Function<SharingLimits, Coverage> level) {
    SortedMap<Coverage, Set<DeviceId>> byLevel = new TreeMap<>();
    if (exceptions.isEmpty() && !devices.isEmpty()) {
      byLevel.put(level.apply(standard), devices);
      return byLevel;
    }
    devices.forEach(device ->
        byLevel.computeIfAbsent(level.apply(on(device)), _ -> new TreeSet<>()).add(device));
    return byLevel;
  }

  /** Copy with the risk budget that a workload states. */
  public DeviceLimits withStatedRisk(double budget) {
    Map<DeviceId, SharingLimits> stated = new TreeMap<>();
    exceptions.forEach(
        (device, limits) -> stated.put(device, limits.withRisk(limits.risk().stated(budget))));
    return new DeviceLimits(standard.withRisk(standard.risk().stated(budget)), stated);
  }

  /** Copy with this profile time on every product. */
  public DeviceLimits withProfileTime(Duration time) {
    Map<DeviceId, SharingLimits> profiling = new TreeMap<>();
    exceptions.forEach((device, limits) -> profiling.put(device, limits.withProfileTime(time)));
    return new DeviceLimits(standard.withProfileTime(time), profiling);
  }

  /** Copy with each slowdown limit at most this one. */
  public DeviceLimits withSlowdownAtMost(Slowdown other) {
    Map<DeviceId, SharingLimits> stricter = new TreeMap<>();
    exceptions.forEach((device, limits) -> stricter.put(device, limits.withSlowdownAtMost(other)));
    return new DeviceLimits(standard.withSlowdownAtMost(other), stricter);
  }
}
