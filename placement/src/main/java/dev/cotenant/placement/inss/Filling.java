package dev.cotenant.placement.inss;

import dev.cotenant.domain.quantity.Rounding;
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
import java.util.Iterator;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Services on all GPUs of a fleet, with shares that fill each GPU in use in proportion to weighted
 * loads. A service's load is the part of a GPU that its rate takes in batches of 4.
 */
final class Filling {
  private static final int BATCH = 4;

  private static final double[] WEIGHTS = {0.5, 0.8, 1.25, 2};

  private final Fleet fleet;
  private final List<DeviceType> gpus;

  /** By service: its GPU. */
  private final int[] gpuOf;

  /** By service: factor on its load. */
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
        : service.requestsPerSecond() * profile.activeMillis(BATCH, Share.WHOLE.percent()) / BATCH;
  }

  /**
   * Fillings that differ by one weight, by the GPU of one service, or by those of two; those of a
   * service are made when the first of them is read.
   */
  Iterator<Filling> neighbours() {
    return IntStream.range(0, gpuOf.length).boxed().flatMap(this::neighbours).iterator();
  }

  /** Neighbours that change one service, or exchange it with an earlier one. */
  private Stream<Filling> neighbours(int i) {
    Stream<Filling> weighted =
        DoubleStream.of(WEIGHTS)
            .mapToObj(weight -> {
              double[] other = weights.clone();
              other[i] *= weight;
              return new Filling(fleet, gpus, gpuOf, other);
            });
    Stream<Filling> moved =
        IntStream.range(0, gpus.size()).filter(gpu -> gpu != gpuOf[i]).mapToObj(gpu -> on(i, gpu));
    Stream<Filling> exchanged =
        IntStream.range(0, i)
            .filter(j -> gpuOf[i] != gpuOf[j])
            .mapToObj(j -> on(i, gpuOf[j]).on(j, gpuOf[i]));
    return Stream.of(weighted, moved, exchanged).flatMap(each -> each);
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
    return fleet.placed(shares);
  }

  /**
   * In whole units of the device, at least one each; what rounding leaves goes to the largest load.
   * Where there are more services than units, the least get none.
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
    double unit = unitPercent(type);
    int units = Math.max(1, (int) (Share.WHOLE.percent() / unit + Rounding.SLACK));
    List<Integer> placed = services.subList(Math.max(0, services.size() - units), services.size());
    int[] own = units(placed.stream().mapToDouble(i -> weighted(i, type)).toArray(), units);
    List<FixedShare> shares = new ArrayList<>();
    for (int i = 0; i < own.length; i++) {
      shares.add(
          new FixedShare(
              gpu, fleet.services().get(placed.get(i)).name(), Share.atMostPercent(own[i] * unit)));
    }
    return shares;
  }

  /**
   * The units of each load. A load of less than a unit gets one, and the others share what is left.
   *
   * @param loads ascending, at most as many as units
   */
  static int[] units(double[] loads, int units) {
    int[] own = new int[loads.length];
    int shared = units;
    int left = units;
    double sum = DoubleStream.of(loads).sum();
    for (int i = 0; i < own.length; i++) {
      boolean isLeast = sum == 0 || loads[i] / sum * shared < 1;
      own[i] = isLeast ? 1 : (int) (loads[i] / sum * shared);
      if (i == own.length - 1) {
        own[i] = left;
      } else if (isLeast) {
        shared--;
        sum = DoubleStream.of(loads).skip(i + 1L).sum();
      }
      left -= own[i];
    }
    return own;
  }

  private static double unitPercent(DeviceType type) {
    DeviceProfile profile = type.profile();
    return profile == null ? Share.WHOLE.percent() : profile.shareUnitPercent();
  }

  private double weighted(int service, DeviceType type) {
    double load = load(fleet, service, type);
    return load < Double.POSITIVE_INFINITY ? weights[service] * load : 0;
  }
}
