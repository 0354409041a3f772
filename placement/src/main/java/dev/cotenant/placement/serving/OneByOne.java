package dev.cotenant.placement.serving;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.FleetPlan;
import dev.cotenant.placement.fleet.Partition;
import dev.cotenant.placement.fleet.PlanReason;
import dev.cotenant.placement.fleet.PlannedGpu;
import dev.cotenant.placement.fleet.Service;
import dev.cotenant.placement.fleet.Turn;
import dev.cotenant.placement.fleet.Unplaced;
import dev.cotenant.placement.serving.PartitionNeeds.Kind;
import dev.cotenant.placement.serving.PartitionNeeds.Placed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Services with profiles that come one by one, as pods do: each gets a share and a batch on a GPU
 * of one kind, knows nothing of those that come later, and keeps what it got.
 *
 * <p>The rule of decisions: the objective stands a slowdown in its partition, which is its promise;
 * a newcomer goes to the fullest GPU on which iGniter's model predicts no slowdown beyond any
 * promise, its own included. Its share is the least with which this holds and that leaves room for
 * the slowdown of later neighbours, in proportion to the share that they could still get. A rate
 * that no GPU serves alone is divided among the fewest replicas. Not thread-safe.
 */
public final class OneByOne {
  private static final int MAX_REPLICAS = 256;
  private static final int ROUNDS = 6;

  private final DeviceType type;
  private final DeviceProfile device;
  private final double slowdownOfWhole;
  private final PartitionNeeds needs;
  private final Share unit;
  private final List<Gpu> gpus = new ArrayList<>();
  private final List<Unplaced> unplaced = new ArrayList<>();

  /** One GPU with its services and their promises. */
  private static final class Gpu {
    private final List<String> names = new ArrayList<>();
    private final List<Placed> placed = new ArrayList<>();
    private final List<Double> promises = new ArrayList<>();
    private int used;

    void add(String name, Placed service, double promise) {
      names.add(name);
      placed.add(service);
      promises.add(promise);
      used += service.units();
    }
  }

  private record Fit(Placed placed, double promise) {}

  /**
   * No GPU in use yet.
   *
   * @param type with coefficients
   * @param limit the slowdown that neighbours may cause of a service that is alone on its GPU
   */
  public OneByOne(DeviceType type, Slowdown limit) {
    this.type = type;
    DeviceProfile known = type.profile();
    if (known == null) {
      throw new IllegalArgumentException("device " + type.id() + " is not profiled");
    }
    device = known;
    slowdownOfWhole = limit.ratio() - 1;
    unit = Share.nearestToPercent(device.shareUnitPercent());
    needs = new PartitionNeeds(device, unit.perGpu());
  }

  /** Takes the services of a fleet in their order, on its first kind of device. */
  public static FleetPlan plan(Fleet fleet, Slowdown limit) {
    OneByOne all = new OneByOne(fleet.devices().getFirst(), limit);
    fleet.services().forEach(all::admit);
    return all.plan();
  }

  /** Forgets the services and not what was found about their kinds. */
  public void clear() {
    gpus.clear();
    unplaced.clear();
  }

  /** Places a service for good; whether it has a place. */
  public boolean admit(Service service) {
    WorkloadProfile profile = service.profiles().get(type.id());
    if (profile == null) {
      unplaced.add(new Unplaced(service.name(), List.of(new PlanReason.NotProfiled(type.id()))));
      return false;
    }
    for (int replicas = 1; replicas <= MAX_REPLICAS; replicas++) {
      Kind kind = new Kind(profile, service.sloMillis(), service.requestsPerSecond() / replicas);
      if (fit(new Gpu(), kind) != null) {
        return admit(service, kind, replicas);
      }
    }
    unplaced.add(
        new Unplaced(
            service.name(),
            List.of(new PlanReason.RateUnreachable(type.id(), 0, service.requestsPerSecond()))));
    return false;
  }

  private boolean admit(Service service, Kind kind, int replicas) {
    List<Gpu> before = gpus.stream().map(OneByOne::copy).toList();
    for (int i = 0; i < replicas; i++) {
      if (!place(service.name(), kind)) {
        gpus.clear();
        gpus.addAll(before);
        unplaced.add(
            new Unplaced(
                service.name(),
                List.of(new PlanReason.PartsLimit(type.id(), replicas, type.maxCount()))));
        return false;
      }
    }
    return true;
  }

  private static Gpu copy(Gpu gpu) {
    Gpu copy = new Gpu();
    for (int i = 0; i < gpu.placed.size(); i++) {
      copy.add(gpu.names.get(i), gpu.placed.get(i), gpu.promises.get(i));
    }
    return copy;
  }

  private boolean place(String name, Kind kind) {
    List<Gpu> fullestFirst = new ArrayList<>(gpus);
    fullestFirst.sort(Comparator.comparingInt((Gpu gpu) -> gpu.used).reversed());
    for (Gpu gpu : fullestFirst) {
      Fit fit = fit(gpu, kind);
      if (fit != null) {
        gpu.add(name, fit.placed(), fit.promise());
        return true;
      }
    }
    if (gpus.size() >= type.maxCount()) {
      return false;
    }
    Gpu opened = new Gpu();
    Fit fit = fit(opened, kind);
    if (fit == null) {
      return false;
    }
    opened.add(name, fit.placed(), fit.promise());
    gpus.add(opened);
    return true;
  }

  /** The least share on a GPU over all batches; null where none will do. */
  private @Nullable Fit fit(Gpu gpu, Kind kind) {
    @Nullable Fit best = null;
    for (int batch : kind.batches()) {
      @Nullable Placed placed = least(gpu, kind, batch);
      if (placed != null && (best == null || placed.units() < best.placed().units())) {
        double promise = needs.stands(placed);
        best = keepsPromises(gpu, placed, promise) ? new Fit(placed, promise) : best;
      }
    }
    return best;
  }

  /** The share grows until it stands what neighbours cause now and may cause later. */
  private @Nullable Placed least(Gpu gpu, Kind kind, int batch) {
    int free = unit.perGpu() - gpu.used;
    int units = needs.leastUnits(kind, batch, 1);
    for (int round = 0; round < ROUNDS && units <= free; round++) {
      Placed placed = new Placed(kind, batch, units);
      double later = slowdownOfWhole * (free - units) / unit.perGpu();
      int enough = needs.leastUnits(kind, batch, slowdown(gpu, placed, gpu.placed.size()) + later);
      if (enough <= units) {
        return placed;
      }
      units = enough;
    }
    return null;
  }

  private boolean keepsPromises(Gpu gpu, Placed newcomer, double promise) {
    for (int i = 0; i < gpu.placed.size(); i++) {
      if (slowdown(gpu, newcomer, i) > gpu.promises.get(i)) {
        return false;
      }
    }
    return slowdown(gpu, newcomer, gpu.placed.size()) <= promise;
  }

  /**
   * Of the service with this index, the newcomer's being the last, beside all others at their
   * largest batches: the larger slowdown of a batch of one and of its largest; infinite where the
   * model gives no figure.
   */
  private double slowdown(Gpu gpu, Placed newcomer, int index) {
    List<Placed> all = new ArrayList<>(gpu.placed);
    all.add(newcomer);
    Placed own = all.get(index);
    return Math.max(slowdown(all, index, 1), slowdown(all, index, own.batch()));
  }

  private double slowdown(List<Placed> all, int index, int batch) {
    GpuState state = new GpuState(device, all.size());
    Placed own = all.get(index);
    place(state, own, batch);
    boolean valid = state.evaluate() == GpuState.Status.VALID;
    double alone = state.latencyMillis(0);
    state.clear();
    for (int i = 0; i < all.size(); i++) {
      place(state, all.get(i), i == index ? batch : all.get(i).batch());
    }
    valid &= state.evaluate() == GpuState.Status.VALID;
    return valid ? state.latencyMillis(index) / alone : Double.POSITIVE_INFINITY;
  }

  private void place(GpuState state, Placed placed, int batch) {
    state.place(placed.kind().profile(), batch, unit.percentOf(placed.units()));
  }

  /** What is placed so far. */
  public FleetPlan plan() {
    List<PlannedGpu> planned = new ArrayList<>();
    for (Gpu gpu : gpus) {
      List<Partition> partitions = new ArrayList<>();
      for (int i = 0; i < gpu.placed.size(); i++) {
        Placed placed = gpu.placed.get(i);
        Turn turn = new Turn(gpu.names.get(i), placed.batch(), placed.kind().requestsPerSecond());
        partitions.add(Partition.of(unit.times(placed.units()), turn));
      }
      planned.add(PlannedGpu.serving(type.id(), partitions));
    }
    return new FleetPlan(
        "one-by-one", planned, List.copyOf(unplaced), OptionalInt.empty(), List.of());
  }
}
