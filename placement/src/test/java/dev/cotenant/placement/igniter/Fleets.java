package dev.cotenant.placement.igniter;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.GpuEvaluation;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Fleets of V100s and the four built-in models. */
final class Fleets {
  static final String V100 = "v100-16gb";
  static final ProfileBook BOOK = ProfileBook.builtIn();

  private Fleets() {}

  static DeviceType v100(int maxCount) {
    return new DeviceType(V100, MemorySize.ofGiB(16), 3.06, maxCount, BOOK.requireDevice(V100));
  }

  static DeviceType v100(DeviceProfile profile) {
    return new DeviceType(V100, MemorySize.ofGiB(16), 3.06, 1_000_000, profile);
  }

  /** With another limit of power and another unit of shares. */
  static DeviceProfile with(DeviceProfile of, double maxPowerWatts, double shareUnitPercent) {
    return new DeviceProfile(
        of.device(),
        maxPowerWatts,
        of.maxFrequencyMegahertz(),
        of.idlePowerWatts(),
        of.pcieBytesPerMillisecond(),
        of.frequencySlope(),
        of.schedulingSlope(),
        of.schedulingIntercept(),
        shareUnitPercent);
  }

  static Service service(String name, String profile, double sloMillis, double rate) {
    return new Service(
        name, sloMillis, rate, null, Map.of(V100, BOOK.workload(profile).orElseThrow()));
  }

  static Fleet of(List<Service> services) {
    return of(List.of(v100(1_000_000)), services);
  }

  static Fleet of(List<DeviceType> devices, List<Service> services) {
    return new Fleet(devices, services, List.of(), List.of(), Arrivals.CONSTANT);
  }

  /** The paper's twelve. */
  static Fleet twelve() {
    return of(
        ProfileBook.twelveWorkloads().served().stream()
            .map(w -> service(w.name(), w.profile(), w.sloMillis(), w.requestsPerSecond()))
            .toList());
  }

  /** A kind of device with the coefficients of a V100. */
  static DeviceType like(String id, double price, int maxCount) {
    return new DeviceType(id, MemorySize.ofGiB(16), price, maxCount, BOOK.requireDevice(V100));
  }

  /** The paper's twelve, on V100s and another kind alike. */
  static List<Service> twelveOn(String other) {
    return twelve().services().stream()
        .map(w -> {
          var profile = w.profiles().get(V100);
          return new Service(
              w.name(),
              w.sloMillis(),
              w.requestsPerSecond(),
              null,
              Map.of(V100, profile, other, profile));
        })
        .toList();
  }

  /** How many workloads the model predicts to miss latency or rate. */
  static long violations(Fleet fleet, FleetPlan plan) {
    GpuEvaluation evaluation = new GpuEvaluation(fleet);
    return plan.gpus().stream()
        .flatMap(gpu -> evaluation.of(gpu).stream())
        .flatMap(List::stream)
        .filter(turn -> !turn.meets())
        .map(GpuEvaluation.TurnPrediction::service)
        .distinct()
        .count();
  }

  /** One line a GPU: name, batch and share of each partition. */
  static String text(FleetPlan plan) {
    return plan.gpus().stream().map(Fleets::text).collect(Collectors.joining("\n"));
  }

  private static String text(PlannedGpu gpu) {
    return gpu.partitions().stream().map(Fleets::text).collect(Collectors.joining(" + "));
  }

  private static String text(Partition partition) {
    var turn = partition.turns().getFirst();
    return turn.service() + " b" + turn.batch() + " " + partition.share().percent();
  }
}
