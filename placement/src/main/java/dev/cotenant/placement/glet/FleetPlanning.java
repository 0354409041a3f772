package dev.cotenant.placement.glet;

import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.Unplaced;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Plans a fleet with a strategy that knows one kind of GPU. */
final class FleetPlanning {
  /*
   * The papers plan one kind. With several, the kind that places most services, then the cheapest,
   * then the first by name, is planned first; the next kind gets what is left, and so on, so that
   * a service without a place in the end was refused by every kind.
   */
  private final String name;
  private final Fleet fleet;
  private final List<PlannedGpu> gpus = new ArrayList<>();
  private final Map<String, List<PlanReason>> reasons = new TreeMap<>();

  private FleetPlanning(String name, Fleet fleet) {
    this.name = name;
    this.fleet = fleet;
  }

  static FleetPlan plan(String name, Fleet fleet, GpuletScheduler strategy) {
    return new FleetPlanning(name, fleet).with(strategy);
  }

  /** One kind of device with what it would make of some services. */
  private record Round(DeviceType type, PoolPlan poolPlan, Map<String, PlanReason> refused) {
    int unplaced() {
      return refused.size();
    }

    double cost() {
      return poolPlan.layouts().size() * type.pricePerHour();
    }
  }

  private FleetPlan with(GpuletScheduler strategy) {
    List<Service> left =
        fleet.services().stream().sorted(Comparator.comparing(Service::name)).toList();
    List<DeviceType> types = new ArrayList<>(fleet.devices());
    while (!types.isEmpty() && !left.isEmpty()) {
      List<Service> services = left;
      Round best =
          types.stream()
              .map(type -> round(type, services, strategy))
              .min(
                  Comparator.comparingInt(Round::unplaced)
                      .thenComparingDouble(Round::cost)
                      .thenComparing(round -> round.type().id()))
              .orElseThrow();
      best.poolPlan().layouts().forEach(layout -> gpus.add(layout.planned(best.type().id())));
      best.refused()
          .forEach((service, reason) ->
              reasons.computeIfAbsent(service, s -> new ArrayList<>()).add(reason));
      left = left.stream().filter(s -> best.refused().containsKey(s.name())).toList();
      types.remove(best.type());
    }
    return FleetPlan.of(name, gpus, unplaced(left));
  }

  private List<Unplaced> unplaced(List<Service> left) {
    return left.stream()
        .map(service ->
            new Unplaced(service.name(), reasons.getOrDefault(service.name(), List.of())))
        .toList();
  }

  private Round round(DeviceType type, List<Service> services, GpuletScheduler strategy) {
    Map<String, PlanReason> refused = new TreeMap<>();
    List<Tenant> able = new ArrayList<>();
    for (Service service : services) {
      Optional<Tenant> tenant = tenant(type, service);
      Optional<PlanReason> reason = beforehand(type, service, tenant);
      reason.ifPresent(why -> refused.put(service.name(), why));
      tenant.filter(t -> reason.isEmpty()).ifPresent(able::add);
    }
    PoolPlan poolPlan = strategy.plan(GpuPool.of(type), able);
    for (Tenant tenant : poolPlan.left()) {
      refused.put(tenant.name(), afterwards(type, tenant, poolPlan));
    }
    return new Round(type, poolPlan, refused);
  }

  private Optional<Tenant> tenant(DeviceType type, Service service) {
    DeviceProfile device = type.profile();
    WorkloadProfile profile = service.profiles().get(type.id());
    return device == null || profile == null
        ? Optional.empty()
        : Optional.of(new Tenant(service, Tenant.Known.of(profile, device)));
  }

  private static Optional<PlanReason> beforehand(
      DeviceType type, Service service, Optional<Tenant> found) {
    if (found.isEmpty()) {
      return Optional.of(new PlanReason.NotProfiled(type.id()));
    }
    Tenant tenant = found.get();
    if (tenant.memory().compareTo(type.memory()) > 0) {
      return Optional.of(
          new PlanReason.MemoryBeyondDevice(type.id(), tenant.memory(), type.memory()));
    }
    if (tenant.largestBatch(Size.WHOLE) == 0) {
      return Optional.of(
          new PlanReason.ObjectiveUnreachable(
              type.id(), tenant.latencyMillis(1, Size.WHOLE), service.sloMillis() / 2));
    }
    return Optional.empty();
  }

  private static PlanReason afterwards(DeviceType type, Tenant tenant, PoolPlan poolPlan) {
    return poolPlan.layouts().size() >= type.maxCount()
        ? new PlanReason.CountLimit(type.id(), type.maxCount())
        : new PlanReason.RateUnreachable(
            type.id(), tenant.mostPerSecond(Size.WHOLE), tenant.requestsPerSecond());
  }
}
