package dev.cotenant.placement.search;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.search.Needs.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/** Which services one kind of device can take, in how many parts, and which of them are alike. */
final class Catalogue {
  private static final double WAITING_AND_RUNNING = 2;

  private final DeviceType type;
  private final DeviceProfile device;
  private final Demand demand;
  private final Map<String, PlanReason> impossible = new TreeMap<>();
  private final Map<String, Integer> parts = new TreeMap<>();
  private final Map<String, Integer> kindOf = new TreeMap<>();
  private final List<Kind> kinds = new ArrayList<>();
  private final Groups groups;

  /**
   * Of services on a device that is profiled.
   *
   * @param type the device
   * @param device its profile
   * @param demand what to plan for
   * @param services whose
   */
  Catalogue(DeviceType type, DeviceProfile device, Demand demand, List<Service> services) {
    this.type = type;
    this.device = device;
    this.demand = demand;
    Map<Kind, Integer> known = new HashMap<>();
    Map<Kind, OptionalInt> split = new HashMap<>();
    for (Service service : services) {
      Optional<PlanReason> reason = reason(service);
      if (reason.isPresent()) {
        impossible.put(service.name(), reason.get());
        continue;
      }
      Kind whole = kind(service, demand.sloFactor(service.name()), 1);
      OptionalInt count = split.computeIfAbsent(whole, this::leastParts);
      if (count.isEmpty()) {
        impossible.put(service.name(), tooFast(service));
        continue;
      }
      int divided = Math.max(count.getAsInt(), demand.partsOf(service.name()));
      Kind part = kind(service, demand.sloFactor(service.name()), divided);
      Integer index = known.putIfAbsent(part, kinds.size());
      if (index == null) {
        index = kinds.size();
        kinds.add(part);
      }
      parts.put(service.name(), divided);
      kindOf.put(service.name(), index);
    }
    groups = new Groups(device, needs(kinds), kinds, type.memory().bytes());
  }

  /**
   * What to plan for.
   *
   * @param arrivals how requests come
   * @param rateFactor of every rate, at least 1
   * @param sloFactors of objectives by service, where they are not 1
   * @param curves that are known, and become known
   * @param parts how many of a service there are at least, where more than one
   */
  record Demand(
      Arrivals arrivals,
      double rateFactor,
      Map<String, Double> sloFactors,
      Map<Kind, PoissonCurve> curves,
      Map<String, Integer> parts) {
    int partsOf(String service) {
      return parts.getOrDefault(service, 1);
    }

    double sloFactor(String service) {
      return sloFactors.getOrDefault(service, 1.0);
    }
  }

  private Needs needs(List<Kind> kinds) {
    return switch (demand.arrivals()) {
      case CONSTANT -> new ConstantNeeds(device, kinds, ConstantNeeds.FEWER);
      case POISSON -> new PoissonNeeds(device, kinds, demand.curves());
    };
  }

  private Kind kind(Service service, double sloFactor, int parts) {
    MemorySize memory = service.memory();
    WorkloadProfile profile = service.profiles().get(type.id());
    if (profile == null) {
      throw new IllegalArgumentException(service.name() + " is not profiled on " + type.id());
    }
    return new Kind(
        profile,
        service.sloMillis() * sloFactor,
        service.requestsPerSecond() * demand.rateFactor() / parts,
        memory == null ? 0 : memory.bytes());
  }

  private Optional<PlanReason> reason(Service service) {
    WorkloadProfile profile = service.profiles().get(type.id());
    MemorySize memory = service.memory();
    if (profile == null) {
      return Optional.of(new PlanReason.NotProfiled(type.id()));
    }
    if (memory != null && !memory.isAtMost(type.memory())) {
      return Optional.of(new PlanReason.MemoryBeyondDevice(type.id(), memory, type.memory()));
    }
    double least = alone(profile, 1).latencyMillis(0);
    double budget = service.sloMillis() / WAITING_AND_RUNNING;
    return least > budget
        ? Optional.of(new PlanReason.ObjectiveUnreachable(type.id(), least, budget))
        : Optional.empty();
  }

  private GpuState alone(WorkloadProfile profile, int batch) {
    GpuState state = new GpuState(device, 1);
    state.place(profile, batch, Share.WHOLE.percent());
    if (state.evaluate() != GpuState.Status.VALID) {
      throw new IllegalArgumentException(profile.name() + " has no figures at batch " + batch);
    }
    return state;
  }

  /** In how many parts each fits on a device; never more than there are devices. */
  private OptionalInt leastParts(Kind whole) {
    int most = 1;
    while (!fits(whole, most)) {
      if (most >= type.maxCount()) {
        return OptionalInt.empty();
      }
      most = Math.min(type.maxCount(), most * 2);
    }
    int least = most / 2;
    while (most - least > 1) {
      int middle = (least + most) >>> 1;
      if (fits(whole, middle)) {
        most = middle;
      } else {
        least = middle;
      }
    }
    return OptionalInt.of(most);
  }

  private boolean fits(Kind whole, int parts) {
    double rate = whole.requestsPerSecond() / parts;
    Kind part = new Kind(whole.profile(), whole.sloMillis(), rate, whole.memoryBytes());
    Needs needs = needs(List.of(part));
    needs.ask(0, 0, 0, 1);
    return needs.units <= needs.wholeUnits()
        && new Groups(device, needs, List.of(part), Long.MAX_VALUE).alone(0) != Groups.TOO_MANY;
  }

  private PlanReason tooFast(Service service) {
    WorkloadProfile profile = kind(service, 1, 1).profile();
    double most = 0;
    int batch = 1;
    GpuState alone = alone(profile, batch);
    while (WAITING_AND_RUNNING * alone.latencyMillis(0) <= service.sloMillis()) {
      most = Math.max(most, alone.throughputPerSecond(0));
      batch++;
      alone = alone(profile, batch);
    }
    double whole = service.requestsPerSecond();
    boolean queues = most >= whole;
    int parts = Math.max(2, parts(service.name()));
    return new PlanReason.RateUnreachable(type.id(), queues ? whole / parts : most, whole);
  }

  DeviceType type() {
    return type;
  }

  Groups groups() {
    return groups;
  }

  boolean takes(String service) {
    return kindOf.containsKey(service);
  }

  int kind(String service) {
    return kindOf.getOrDefault(service, -1);
  }

  int parts(String service) {
    return parts.getOrDefault(service, 0);
  }

  /** Why it has no place on this device. */
  PlanReason whyNot(Service service) {
    PlanReason reason = impossible.get(service.name());
    if (reason != null) {
      return reason;
    }
    return parts(service.name()) > 1
        ? tooFast(service)
        : new PlanReason.CountLimit(type.id(), type.maxCount());
  }

  /** What a service costs an hour here by its share alone. */
  double cost(String service) {
    int units = groups.alone(kind(service));
    return type.pricePerHour() * parts(service) * units / groups.needs().wholeUnits();
  }
}
