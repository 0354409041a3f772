package dev.cotenant.placement.search;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.Turn;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;

/** Which limit keeps a plan from being cheaper. */
final class PlanNotes {
  private static final double NEARLY_FULL = 0.9;

  private PlanNotes() {}

  static List<String> of(Fleet fleet, FleetPlan plan, OptionalInt lowerBound) {
    List<String> notes = new ArrayList<>();
    Map<String, Service> services = new HashMap<>();
    fleet.services().forEach(service -> services.put(service.name(), service));
    for (DeviceType type : fleet.devices()) {
      List<PlannedGpu> gpus =
          plan.gpus().stream().filter(gpu -> gpu.device().equals(type.id())).toList();
      if (!gpus.isEmpty()) {
        notes.add(binding(type, gpus, services));
      }
    }
    lowerBound.ifPresent(bound ->
        notes.add(
            bound == plan.gpus().size()
                ? "no plan with a partition for each service needs fewer than " + bound
                : "any plan with a partition for each service needs at least " + bound));
    return notes;
  }

  private static String binding(
      DeviceType type, List<PlannedGpu> gpus, Map<String, Service> services) {
    double shares = 0;
    double memory = 0;
    String largest = "";
    double most = 0;
    for (PlannedGpu gpu : gpus) {
      for (Partition partition : gpu.partitions()) {
        shares += partition.share().percent();
        for (Turn turn : partition.turns()) {
          Service service = services.get(turn.service());
          MemorySize held = service == null ? null : service.memory();
          memory += held == null ? 0 : (double) held.bytes() / type.memory().bytes();
          if (partition.share().percent() > most) {
            most = partition.share().percent();
            largest = turn.service();
          }
        }
      }
    }
    double share = shares / gpus.size() / 100.0;
    double held = memory / gpus.size();
    String binds;
    if (gpus.size() >= type.maxCount()) {
      binds = "device count";
    } else if (held > share && held > NEARLY_FULL) {
      binds = "memory";
    } else if (share > NEARLY_FULL) {
      binds = "shares";
    } else {
      binds = "latency of " + largest;
    }
    return String.format(
        Locale.ROOT,
        "%s binds: %d of %s, %.1f %% of their shares and %.1f %% of their memory allocated",
        binds,
        gpus.size(),
        type.id(),
        100.0 * share,
        100.0 * held);
  }
}
