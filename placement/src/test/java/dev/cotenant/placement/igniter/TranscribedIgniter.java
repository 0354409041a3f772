package dev.cotenant.placement.igniter;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.ServicePlanner;
import dev.cotenant.placement.fleet.Turn;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * Algorithms 1 and 2 of the iGniter paper line by line, asking every GPU for every workload: one
 * kind of device without limits, workloads that fit a GPU each. What {@link IgniterPlanner} is held
 * against.
 */
public final class TranscribedIgniter implements ServicePlanner {
  private static final int NONE = -1;

  @Override
  public String name() {
    return "transcribed";
  }

  private static final class Resident {
    final Service service;
    final WorkloadProfile profile;
    final int batch;
    int units;

    Resident(Service service, WorkloadProfile profile, int batch, int units) {
      this.service = service;
      this.profile = profile;
      this.batch = batch;
      this.units = units;
    }

    Resident(Resident other) {
      this(other.service, other.profile, other.batch, other.units);
    }
  }

  /** Whether {@link #plan} can place it: its lower bound is within a GPU. */
  public static boolean fits(DeviceType type, Service service) {
    return lowerBound(type, service).units <= wholeUnits(type);
  }

  @Override
  public FleetPlan plan(Fleet fleet) {
    DeviceType type = fleet.devices().getFirst();
    List<Resident> workloads = new ArrayList<>();
    for (Service service : fleet.services()) {
      workloads.add(lowerBound(type, service));
    }
    workloads.sort(Comparator.comparingInt(w -> -w.units));
    List<List<Resident>> gpus = new ArrayList<>();
    for (Resident w : workloads) {
      int q = NONE;
      int least = wholeUnits(type);
      List<Resident> chosen = List.of(w);
      for (int j = 0; j < gpus.size(); j++) {
        List<Resident> allocated = allocate(type, gpus.get(j), w);
        int total = allocated.stream().mapToInt(r -> r.units).sum();
        int before = gpus.get(j).stream().mapToInt(r -> r.units).sum();
        int increase = total - before - w.units;
        if (total <= wholeUnits(type) && increase < least) {
          q = j;
          least = increase;
          chosen = allocated;
        }
      }
      if (q == NONE) {
        gpus.add(chosen);
      } else {
        gpus.set(q, chosen);
      }
    }
    return FleetPlan.of(name(), gpus.stream().map(gpu -> planned(type, gpu)).toList(), List.of());
  }

  private static List<Resident> allocate(DeviceType type, List<Resident> gpu, Resident newcomer) {
    List<Resident> all = new ArrayList<>();
    gpu.forEach(resident -> all.add(new Resident(resident)));
    all.add(new Resident(newcomer));
    boolean flag = true;
    while (flag && all.stream().mapToInt(r -> r.units).sum() <= wholeUnits(type)) {
      flag = false;
      for (int i = 0; i < all.size(); i++) {
        if (latencyMillis(type, all, i) > all.get(i).service.sloMillis() / 2) {
          all.get(i).units++;
          flag = true;
        }
      }
    }
    return all;
  }

  /** Beyond 100 % there is no figure, and it counts as late: the loop ends there anyway. */
  private static double latencyMillis(DeviceType type, List<Resident> all, int index) {
    DeviceProfile device = device(type);
    GpuState state = new GpuState(device, all.size());
    for (Resident r : all) {
      state.place(r.profile, r.batch, r.units * device.shareUnitPercent());
    }
    return state.evaluate() == GpuState.Status.VALID
        ? state.latencyMillis(index)
        : Double.POSITIVE_INFINITY;
  }

  private static Resident lowerBound(DeviceType type, Service service) {
    DeviceProfile device = device(type);
    WorkloadProfile p = Objects.requireNonNull(service.profiles().get(type.id()));
    double rate = service.requestsPerSecond() / 1000;
    double slo = service.sloMillis();
    double pcie = device.pcieBytesPerMillisecond();
    double b = Math.ceil(slo * rate * pcie / (2 * (pcie + rate * p.inputBytes())));
    var k = p.activeTime();
    double gamma = k.k1() * b * b + k.k2() * b + k.k3();
    double delta =
        slo / 2 - (p.inputBytes() + p.outputBytes()) * b / pcie - k.k5() - p.schedulingMillis();
    double unit = device.shareUnitPercent();
    double units = delta > 0 ? Math.ceil(gamma / (delta * unit) - k.k4() / unit) : 1e9;
    return new Resident(service, p, (int) b, (int) Math.max(1, units));
  }

  private static int wholeUnits(DeviceType type) {
    return (int) Math.round(100 / device(type).shareUnitPercent());
  }

  private static DeviceProfile device(DeviceType type) {
    return Objects.requireNonNull(type.profile());
  }

  private static PlannedGpu planned(DeviceType type, List<Resident> gpu) {
    double unit = device(type).shareUnitPercent();
    return PlannedGpu.serving(
        type.id(),
        gpu.stream()
            .map(r ->
                Partition.of(
                    Share.nearestToPercent(r.units * unit),
                    new Turn(r.service.name(), r.batch, r.service.requestsPerSecond())))
            .toList());
  }
}
