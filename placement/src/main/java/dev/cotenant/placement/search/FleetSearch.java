package dev.cotenant.placement.search;

import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.placement.fleet.Arrivals;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.Unplaced;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;

/** Services to kinds of device, then each kind's devices by {@link DeviceSearch}. */
final class FleetSearch {
  private static final int EVERY_BATCH = 1 << 20;

  private final Fleet fleet;
  private final Settings settings;
  private final Effort effort;
  private final Map<String, Service> services = new TreeMap<>();
  private final Map<String, Catalogue> catalogues = new TreeMap<>();
  private final List<DeviceType> devices;
  private boolean inTime = true;

  /** For services of this fleet, with objectives as the demand says. */
  FleetSearch(Fleet fleet, Settings settings, Effort effort, Catalogue.Demand demand) {
    this.fleet = fleet;
    this.settings = settings;
    this.effort = effort;
    devices = fleet.devices().stream().sorted(Comparator.comparing(DeviceType::id)).toList();
    fleet.services().forEach(service -> services.put(service.name(), service));
    for (DeviceType type : devices) {
      DeviceProfile profile = type.profile();
      if (profile != null) {
        List<Service> sorted = List.copyOf(services.values());
        catalogues.put(type.id(), new Catalogue(type, profile, demand, sorted));
      }
    }
  }

  /** Whether the last search went through to its end. */
  boolean inTime() {
    return inTime;
  }

  /** One plan for each way of preferring kinds of device. */
  List<FleetPlan> plans() {
    List<FleetPlan> plans = new ArrayList<>();
    plans.add(plan(Optional.empty()));
    for (String device : catalogues.keySet()) {
      if (catalogues.size() > 1 && !effort.isOver()) {
        plans.add(plan(Optional.of(device)));
      }
    }
    return plans;
  }

  private FleetPlan plan(Optional<String> preferred) {
    Map<String, List<String>> choices = new TreeMap<>();
    for (String service : services.keySet()) {
      choices.put(service, choices(service, preferred));
    }
    Map<String, DevicePlan> plans = new TreeMap<>();
    Map<String, List<String>> assigned = new TreeMap<>();
    int bound = 0;
    List<String> left = List.copyOf(services.keySet());
    for (int round = 0; round < catalogues.size() && !left.isEmpty(); round++) {
      Map<String, List<String>> changed = assign(left, choices, round);
      List<String> over = new ArrayList<>();
      for (Map.Entry<String, List<String>> entry : changed.entrySet()) {
        List<String> own = assigned.computeIfAbsent(entry.getKey(), key -> new ArrayList<>());
        own.addAll(entry.getValue());
        own.sort(Comparator.naturalOrder());
        DeviceSearch.Outcome outcome = search(entry.getKey(), own);
        bound = outcome.bound();
        DevicePlan plan = new DevicePlan(catalogue(entry.getKey()), outcome.packing(), own);
        List<String> removed = plan.limit();
        own.removeAll(new HashSet<>(removed));
        over.addAll(removed);
        plans.put(entry.getKey(), plan);
      }
      left = over;
    }
    Set<String> placed = new HashSet<>();
    assigned.values().forEach(placed::addAll);
    for (String service : services.keySet()) {
      if (!placed.contains(service)) {
        choices.getOrDefault(service, List.of()).stream()
            .filter(device -> place(plans, device, service))
            .findFirst()
            .ifPresent(device -> placed.add(service));
      }
    }
    return assemble(plans, placed, bound);
  }

  private boolean place(Map<String, DevicePlan> plans, String device, String service) {
    return plans.computeIfAbsent(device, id -> new DevicePlan(catalogue(id))).place(service);
  }

  private Catalogue catalogue(String device) {
    Catalogue catalogue = catalogues.get(device);
    if (catalogue == null) {
      throw new IllegalArgumentException("device " + device + " is not profiled");
    }
    return catalogue;
  }

  /** Devices that take a service: the preferred one, then the cheapest. */
  private List<String> choices(String service, Optional<String> preferred) {
    List<String> able = new ArrayList<>();
    catalogues.forEach((id, catalogue) -> {
      if (catalogue.takes(service)) {
        able.add(id);
      }
    });
    able.sort(
        Comparator.comparing((String id) -> !preferred.equals(Optional.of(id)))
            .thenComparingDouble(id -> catalogue(id).cost(service))
            .thenComparing(id -> id));
    return able;
  }

  private static Map<String, List<String>> assign(
      List<String> left, Map<String, List<String>> choices, int round) {
    Map<String, List<String>> assigned = new TreeMap<>();
    for (String service : left) {
      List<String> able = choices.getOrDefault(service, List.of());
      if (round < able.size()) {
        assigned.computeIfAbsent(able.get(round), id -> new ArrayList<>()).add(service);
      }
    }
    return assigned;
  }

  private DeviceSearch.Outcome search(String device, List<String> own) {
    Catalogue catalogue = catalogue(device);
    Groups groups = catalogue.groups();
    List<Integer> kinds = new ArrayList<>();
    for (String service : own) {
      for (int part = 0; part < catalogue.parts(service); part++) {
        kinds.add(catalogue.kind(service));
      }
    }
    boolean provable = devices.size() == 1 && fleet.arrivals() == Arrivals.CONSTANT;
    List<Needs> proof =
        provable
            ? List.of(new ConstantNeeds(groups.device(), groups.kinds(), EVERY_BATCH))
            : List.of();
    DeviceSearch.Outcome outcome =
        new DeviceSearch(groups, effort, settings.seed()).search(kinds, proof);
    inTime &= outcome.inTime();
    return outcome;
  }

  private FleetPlan assemble(Map<String, DevicePlan> plans, Set<String> placed, int bound) {
    List<PlannedGpu> gpus = new ArrayList<>();
    plans.values().forEach(plan -> gpus.addAll(plan.gpus(services)));
    List<Unplaced> unplaced = new ArrayList<>();
    for (Service service : services.values()) {
      if (!placed.contains(service.name())) {
        unplaced.add(new Unplaced(service.name(), reasons(service)));
      }
    }
    boolean bounded = bound > 0 && bound <= gpus.size() && unplaced.isEmpty();
    return new FleetPlan(
        Best.NAME,
        gpus,
        unplaced,
        bounded ? OptionalInt.of(bound) : OptionalInt.empty(),
        List.of());
  }

  private List<PlanReason> reasons(Service service) {
    List<PlanReason> reasons = new ArrayList<>();
    for (DeviceType type : devices) {
      Catalogue catalogue = catalogues.get(type.id());
      reasons.add(
          catalogue == null ? new PlanReason.NotProfiled(type.id()) : catalogue.whyNot(service));
    }
    return reasons;
  }
}
