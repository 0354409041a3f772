package dev.cotenant.placement.inss;

import dev.cotenant.domain.quantity.Share;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.placement.fleet.DeviceType;
import dev.cotenant.placement.fleet.FixedShare;
import dev.cotenant.placement.fleet.Fleet;
import dev.cotenant.placement.fleet.Service;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Services on all GPUs of a fleet, with shares that fill each GPU in use in proportion to weighted
 * loads. A service's load is the part of a GPU that its rate takes in batches of 4.
 */
final class Filling {
  private static final int BATCH = 4;
  private static final double FULL_PERCENT = 100;
  private static final double[] WEIGHTS = {0.5, 0.8, 1.25, 2};

  private final Fleet fleet;
  private final List<DeviceType> gpus;

  /** By service: its GPU. */
  private final int[] gpuOf;

  /** By service: what its load is multiplied by. */
  private final double[] weights;

  private Filling(Fleet fleet, List<DeviceType> gpus, int[] gpuOf, double[] weights) {
    this.fleet = fleet;
    this.gpus = gpus;
    this.gpuOf = gpuOf;
    this.weights = weights;
  }

  /** Services by load, the largest first, each on the GPU with the least load. */
  static Filling byLoad(Fleet fleet) {
    List<DeviceType> gpus =
        fleet.devices().stream()
            .flatMap(type -> Collections.nCopies(type.maxCount(), type).stream())
            .toList();
    double[] loads = new double[gpus.size()];
    int[] gpuOf = new int[fleet.services().size()];
    double[] weights = new double[gpuOf.length];
    Comparator<Integer> largest = Comparator.comparingDouble(i -> -load(fleet, i, gpus.getFirst()));
    IntStream.range(0, gpuOf.length)
        .boxed()
        .sorted(largest.thenComparing(i -> fleet.services().get(i).name()))
        .forEach(i -> {
          int gpu =
              IntStream.range(0, loads.length)
                  .boxed()
                  .min(Comparator.comparingDouble(g -> loads[g] + load(fleet, i, gpus.get(g))))
                  .orElseThrow();
          gpuOf[i] = gpu;
          weights[i] = 1;
          loads[gpu] += load(fleet, i, gpus.get(gpu));
        });
    return new Filling(fleet, gpus, gpuOf, weights);
  }

  /** Infinite where the service was not profiled. */
  private static double load(Fleet fleet, int index, DeviceType type) {
    Service service = fleet.services().get(index);
    WorkloadProfile profile = service.profiles().get(type.id());
    return profile == null
        ? Double.POSITIVE_INFINITY
        : service.requestsPerSecond() * profile.activeMillis(BATCH, FULL_PERCENT) / BATCH;
  }

  /** Fillings that differ by one weight, by the GPU of one service, or by those of two. */
  List<Filling> neighbours() {
    List<Filling> all = new ArrayList<>();
    for (int i = 0; i < gpuOf.length; i++) {
      for (double weight : WEIGHTS) {
        double[] other = weights.clone();
        other[i] *= weight;
        all.add(new Filling(fleet, gpus, gpuOf, other));
      }
      for (int gpu = 0; gpu < gpus.size(); gpu++) {
        if (gpu != gpuOf[i]) {
          all.add(on(i, gpu));
        }
      }
      for (int j = 0; j < i; j++) {
        if (gpuOf[i] != gpuOf[j]) {
          all.add(on(i, gpuOf[j]).on(j, gpuOf[i]));
        }
      }
    }
    return all;
  }

  private Filling on(int service, int gpu) {
    int[] other = gpuOf.clone();
    other[service] = gpu;
    return new Filling(fleet, gpus, other, weights);
  }

  /** The fleet with these shares as its placement. */
  Fleet placed() {
    List<FixedShare> shares = new ArrayList<>();
    for (int gpu = 0; gpu < gpus.size(); gpu++) {
      shares.addAll(shares(gpu));
    }
    return new Fleet(fleet.devices(), fleet.services(), fleet.jobs(), shares, fleet.arrivals());
  }

  /**
   * In whole units of the device; what rounding leaves goes to the largest load. Where there are
   * more services than units, the least get none.
   */
  private List<FixedShare> shares(int gpu) {
    DeviceType type = gpus.get(gpu);
    List<Integer> services =
        IntStream.range(0, gpuOf.length)
            .filter(i -> gpuOf[i] == gpu)
            .boxed()
            .sorted(
                Comparator.comparingDouble((Integer i) -> weighted(i, type))
                    .thenComparing(i -> fleet.services().get(i).name(), Comparator.reverseOrder()))
            .toList();
    int units = units(type);
    List<Integer> placed = services.subList(Math.max(0, services.size() - units), services.size());
    double sum = placed.stream().mapToDouble(i -> weighted(i, type)).sum();
    List<FixedShare> shares = new ArrayList<>();
    int left = units;
    for (int i : placed) {
      boolean isLast = shares.size() == placed.size() - 1;
      int own = isLast ? left : (int) Math.max(1, sum == 0 ? 1 : weighted(i, type) / sum * units);
      left -= own;
      Share share = Share.ofPercent(FULL_PERCENT * own / units);
      shares.add(new FixedShare(gpu, fleet.services().get(i).name(), share));
    }
    return shares;
  }

  private static int units(DeviceType type) {
    DeviceProfile profile = type.profile();
    return profile == null ? 1 : (int) Math.round(FULL_PERCENT / profile.shareUnitPercent());
  }

  private double weighted(int service, DeviceType type) {
    double load = load(fleet, service, type);
    return load < Double.POSITIVE_INFINITY ? weights[service] * load : 0;
  }
}
