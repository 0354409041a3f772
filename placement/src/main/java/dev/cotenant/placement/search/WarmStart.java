package dev.cotenant.placement.search;

import dev.cotenant.domain.InputException;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.search.Needs.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * {@link Best}'s model of colocation, started from the running plan, with a price on every move:
 * services keep their GPUs, shares and batches as long as their limits are met.
 *
 * <p>On each GPU the least change is made with which all keep their limits: none, other batches,
 * larger shares, the least shares of all. A service moves where its GPU has no room for it, and a
 * GPU is given back where that takes fewer moves than it is worth. Deterministic; the order of
 * services does not matter. What does not fit, or needs more moves than are allowed, stays as it
 * runs and is a {@link Shortfall}. Caches results for similar services; not thread-safe.
 *
 * <p>Partitions have one turn. Parts of a service are equal, and on devices of one kind.
 */
public final class WarmStart {
  private static final int MAX_CURVES = 20_000;

  private final Map<Kind, PoissonCurve> curves = new HashMap<>();

  /**
   * What a change may cost.
   *
   * @param mostMoves partitions that go to another GPU at most, at least 0
   * @param mayGiveBack whether GPUs and partitions that are no longer needed are given back
   * @param movePrice cost of a move as a part of a GPU, above 0; with 0.2, a GPU is opened rather
   *     than five moves made, and given back only for fewer than five
   */
  public record Limits(int mostMoves, boolean mayGiveBack, double movePrice) {
    public Limits {
      if (mostMoves < 0) {
        throw InputException.invalidArgument(
            "moves-out-of-range", "The moves must be at least 0, are " + mostMoves + ".");
      }
      if (!(movePrice > 0 && movePrice < Double.POSITIVE_INFINITY)) {
        throw InputException.invalidArgument(
            "move-price-out-of-range",
            "The price of a move must be above 0 GPUs, is " + movePrice + ".");
      }
    }
  }

  /**
   * A service that the revised plan does not serve in full.
   *
   * @param service its name
   * @param reasons one for each kind of device; empty where only the moves were not allowed
   * @param moreGpus of the cheapest kind that takes it, with which all such services would have a
   *     place; 0 where none helps
   * @param device that kind; empty where none takes it
   */
  public record Shortfall(String service, List<PlanReason> reasons, int moreGpus, String device) {
    public Shortfall {
      reasons = List.copyOf(reasons);
    }
  }

  /**
   * The revised plan.
   *
   * @param gpus those that run, in their order, with no partition where one is given back, then
   *     those that are opened
   * @param moves partitions that go to another GPU
   * @param spent whether changes were left out because they need more moves
   * @param shortfalls by service
   */
  public record Revision(
      List<PlannedGpu> gpus, int moves, boolean spent, List<Shortfall> shortfalls) {
    public Revision {
      gpus = List.copyOf(gpus);
      shortfalls = List.copyOf(shortfalls);
    }
  }

  /**
   * Changes a plan for a fleet.
   *
   * @param fleet services with the rates to plan for
   * @param running GPUs in use; services missing from the fleet are removed
   */
  public Revision revise(Fleet fleet, List<PlannedGpu> running, Limits limits) {
    requireSingleTurns(running);
    if (curves.size() > MAX_CURVES) {
      curves.clear();
    }
    Revising revising = new Revising(fleet, running, limits);
    while (revising.reassign()) {
      revising.plan();
    }
    return revising.revision();
  }

  private static void requireSingleTurns(List<PlannedGpu> running) {
    running.stream()
        .flatMap(gpu -> gpu.partitions().stream())
        .filter(partition -> partition.turns().size() > 1)
        .findFirst()
        .ifPresent(partition -> {
          throw InputException.invalidArgument(
              "turns-not-supported",
              "A running partition has several services in turns ("
                  + partition.turns().getFirst().service()
                  + ", …): give each its own partition.");
        });
  }

  /** One change. */
  private final class Revising {
    private final Fleet fleet;
    private final List<PlannedGpu> running;
    private final Limits limits;
    private final Map<String, Service> services = new TreeMap<>();
    private final Map<String, Catalogue> catalogues = new TreeMap<>();
    private final Map<String, List<String>> choices = new TreeMap<>();
    private final Map<String, Integer> chosen = new TreeMap<>();
    private final Map<String, WarmDevice> devices = new TreeMap<>();
    private boolean first = true;

    Revising(Fleet fleet, List<PlannedGpu> running, Limits limits) {
      this.fleet = fleet;
      this.running = running;
      this.limits = limits;
      fleet.services().forEach(service -> services.put(service.name(), service));
      Map<String, Map<String, Integer>> parts = parts();
      for (DeviceType type : fleet.devices()) {
        DeviceProfile profile = type.profile();
        if (profile != null) {
          Map<String, Integer> kept =
              limits.mayGiveBack() ? Map.of() : parts.getOrDefault(type.id(), Map.of());
          Catalogue.Demand demand =
              new Catalogue.Demand(fleet.arrivals(), 1, Map.of(), curves, kept);
          List<Service> sorted = List.copyOf(services.values());
          catalogues.put(type.id(), new Catalogue(type, profile, demand, sorted));
        }
      }
      services.keySet().forEach(service -> choices.put(service, choices(service, parts)));
      services.keySet().forEach(service -> chosen.put(service, 0));
    }

    /** By device, the partitions of each service. */
    private Map<String, Map<String, Integer>> parts() {
      Map<String, Map<String, Integer>> parts = new HashMap<>();
      for (PlannedGpu gpu : running) {
        Map<String, Integer> own = parts.computeIfAbsent(gpu.device(), _ -> new HashMap<>());
        gpu.partitions()
            .forEach(each -> own.merge(each.turns().getFirst().service(), 1, Integer::sum));
      }
      return parts;
    }

    /** Kinds of device that take a service: where it runs, then the cheapest. */
    private List<String> choices(String service, Map<String, Map<String, Integer>> parts) {
      return catalogues.keySet().stream()
          .filter(id -> catalogue(id).takes(service))
          .sorted(
              Comparator.comparingInt(
                      (String id) -> -parts.getOrDefault(id, Map.of()).getOrDefault(service, 0))
                  .thenComparingDouble(id -> catalogue(id).cost(service))
                  .thenComparing(id -> id))
          .toList();
    }

    private Catalogue catalogue(String device) {
      Catalogue catalogue = catalogues.get(device);
      if (catalogue == null) {
        throw new IllegalStateException("device " + device + " is not profiled");
      }
      return catalogue;
    }

    /** Whether there is a kind of device left to try for services without a place. */
    boolean reassign() {
      if (first) {
        first = false;
        return true;
      }
      boolean changed = false;
      for (WarmDevice device : List.copyOf(devices.values())) {
        for (String service : device.failed().keySet()) {
          int next = chosen.merge(service, 1, Integer::sum);
          changed |= next < choices.getOrDefault(service, List.of()).size();
        }
      }
      return changed;
    }

    void plan() {
      devices.clear();
      catalogues.forEach((id, catalogue) -> {
        TreeSet<String> own = new TreeSet<>();
        services.keySet().stream()
            .filter(service -> choice(service).equals(Optional.of(id)))
            .forEach(own::add);
        devices.put(id, new WarmDevice(catalogue, own, onDevice(id), limits));
      });
    }

    /** The kind of device that is tried; the first again where all were. */
    private Optional<String> choice(String service) {
      List<String> able = choices.getOrDefault(service, List.of());
      int index = chosen.getOrDefault(service, 0);
      return able.isEmpty() ? Optional.empty() : Optional.of(able.get(index % able.size()));
    }

    private List<PlannedGpu> onDevice(String id) {
      return running.stream().filter(gpu -> gpu.device().equals(id)).toList();
    }

    Revision revision() {
      List<PlannedGpu> opened = new ArrayList<>();
      Map<String, List<PlannedGpu>> planned = new HashMap<>();
      devices.forEach((id, device) -> {
        List<PlannedGpu> before = onDevice(id);
        List<PlannedGpu> after = device.gpus(before, services);
        planned.put(id, new ArrayList<>(after.subList(0, before.size())));
        opened.addAll(after.subList(before.size(), after.size()));
      });
      List<PlannedGpu> gpus = new ArrayList<>();
      for (PlannedGpu gpu : running) {
        List<PlannedGpu> own = planned.get(gpu.device());
        gpus.add(own == null ? gpu : own.removeFirst());
      }
      gpus.addAll(opened.stream().filter(gpu -> !gpu.partitions().isEmpty()).toList());
      int moves = devices.values().stream().mapToInt(WarmDevice::moves).sum();
      boolean spent = devices.values().stream().anyMatch(WarmDevice::spent);
      return new Revision(gpus, moves, spent, shortfalls());
    }

    private List<Shortfall> shortfalls() {
      Map<String, Integer> failed = new TreeMap<>();
      devices.values().forEach(device -> failed.putAll(device.failed()));
      services.keySet().stream()
          .filter(service -> choices.getOrDefault(service, List.of()).isEmpty())
          .forEach(service -> failed.put(service, 1));
      Map<String, Packing> more = new HashMap<>();
      failed.forEach((service, missing) ->
          choice(service)
              .ifPresent(device -> {
                Packing packing =
                    more.computeIfAbsent(device, id -> new Packing(catalogue(id).groups()));
                for (int i = 0; i < missing; i++) {
                  packing.placeOrOpen(catalogue(device).kind(service), Packing.Rule.MIN_INCREASE);
                }
              }));
      List<Shortfall> shortfalls = new ArrayList<>();
      failed
          .keySet()
          .forEach(service -> {
            String device = choice(service).orElse("");
            Packing packing = more.get(device);
            int gpus = packing == null ? 0 : packing.size();
            shortfalls.add(new Shortfall(service, reasons(service), gpus, device));
          });
      return shortfalls;
    }

    private List<PlanReason> reasons(String name) {
      Service service = services.get(name);
      List<PlanReason> reasons = new ArrayList<>();
      for (DeviceType type : fleet.devices()) {
        Catalogue catalogue = catalogues.get(type.id());
        reasons.add(
            catalogue == null || service == null
                ? new PlanReason.NotProfiled(type.id())
                : reason(catalogue, service, type));
      }
      return reasons;
    }

    private PlanReason reason(Catalogue catalogue, Service service, DeviceType type) {
      int parts = catalogue.parts(service.name());
      return parts > 1
          ? new PlanReason.PartsLimit(type.id(), parts, type.maxCount())
          : catalogue.whyNot(service);
    }
  }
}
