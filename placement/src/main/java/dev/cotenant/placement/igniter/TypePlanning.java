package dev.cotenant.placement.igniter;

import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.TypePlan;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Places services on one kind of device, one after the other. */
final class TypePlanning {
  /*
   * Parts of one service follow each other, and have places all or none: those of a service that
   * does not find enough are taken back, so that others may use the room.
   */
  private TypePlanning() {}

  /** Those that the rules hold equal are placed in the order of {@code services}. */
  static TypePlan plan(DeviceType type, List<Service> services, Rules rules) {
    Map<String, PlanReason> refused = new HashMap<>();
    List<List<Need>> needs = needs(type, services, rules, refused);
    needs.sort(Comparator.comparing(List::getFirst, rules.order()));
    DeviceProfile device = type.profile();
    if (device == null) {
      return new TypePlan(type, List.of(), refused);
    }
    OpenGpus gpus = new OpenGpus(type, rules.unit(device));
    Placer placer = rules.placer(device, gpus, needs);
    for (List<Need> parts : needs) {
      if (!place(parts, placer, gpus)) {
        String name = parts.getFirst().service().name();
        refused.put(name, noRoom(type, parts.size()));
      }
    }
    rules.finish(device, gpus);
    return new TypePlan(type, gpus.planned(type.id()), refused);
  }

  private static PlanReason noRoom(DeviceType type, int parts) {
    return parts == 1
        ? new PlanReason.CountLimit(type.id(), type.maxCount())
        : new PlanReason.PartsLimit(type.id(), parts, type.maxCount());
  }

  private static List<List<Need>> needs(
      DeviceType type, List<Service> services, Rules rules, Map<String, PlanReason> refused) {
    List<List<Need>> needs = new ArrayList<>();
    for (Service service : services) {
      switch (rules.size(type, service)) {
        case Sizing.Parts(List<Need> parts) -> needs.add(parts);
        case Sizing.Impossible(PlanReason reason) -> refused.put(service.name(), reason);
      }
    }
    return needs;
  }

  private static boolean place(List<Need> parts, Placer placer, OpenGpus gpus) {
    if (parts.size() == 1) {
      return placer.place(parts.getFirst());
    }
    gpus.mark();
    for (Need part : parts) {
      if (!placer.place(part)) {
        gpus.takeBack().forEach(placer::changed);
        return false;
      }
    }
    gpus.keep();
    return true;
  }
}
