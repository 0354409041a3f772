package dev.cotenant.placement.fleet;

import dev.cotenant.domain.InputException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What is to be planned.
 *
 * @param devices available GPUs, at least one kind
 * @param services inference to be served
 * @param jobs training to be packed
 * @param placement partitions that are given; empty where the strategy makes its own
 * @param arrivals how requests come
 */
public record Fleet(
    List<DeviceType> devices,
    List<Service> services,
    List<Job> jobs,
    List<FixedShare> placement,
    Arrivals arrivals) {
  public Fleet {
    devices = List.copyOf(devices);
    services = List.copyOf(services);
    jobs = List.copyOf(jobs);
    placement = List.copyOf(placement);
    if (devices.isEmpty()) {
      throw InputException.invalidArgument("no-devices", "Name at least one device to plan on.");
    }
    Set<String> names = new HashSet<>();
    devices.forEach(device -> once(names, "device", device.id()));
    names.clear();
    services.forEach(service -> once(names, "workload", service.name()));
    jobs.forEach(job -> once(names, "workload", job.name()));
  }

  private static void once(Set<String> seen, String kind, String name) {
    if (!seen.add(name)) {
      throw InputException.invalidArgument(
          "named-twice",
          "The " + kind + " '" + name + "' is listed twice: give each its own name.");
    }
  }

  /** The same services and devices under another arrival model. */
  public Fleet with(Arrivals other) {
    return new Fleet(devices, services, jobs, placement, other);
  }

  /** Copy with different services. */
  public Fleet serving(List<Service> others) {
    return new Fleet(devices, others, jobs, placement, arrivals);
  }

  /** Copy with given partitions. */
  public Fleet placed(List<FixedShare> shares) {
    return new Fleet(devices, services, jobs, shares, arrivals);
  }

  /** Copy with different devices. */
  public Fleet on(List<DeviceType> others) {
    return new Fleet(others, services, jobs, placement, arrivals);
  }
}
