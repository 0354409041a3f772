package dev.cotenant.placement.fleet;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.WorkloadProfile;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;

/** Seeded fleets of the four models of the iGniter paper. */
public final class RandomFleets {
  public static final String V100 = "v100-16gb";
  public static final String SLOW = "slow";
  public static final ProfileBook BOOK = ProfileBook.builtIn();

  private static final double[] OBJECTIVES = {4, 8, 10, 12, 15, 20, 25, 30, 40, 55, 60, 80, 200};
  private static final double[] RATES = {
    1, 20, 50, 100, 150, 200, 300, 400, 500, 600, 800, 1200, 4000
  };

  private RandomFleets() {}

  /** A service of one of the four models on a V100. */
  public static Service service(String name, String profile, double slo, double rate) {
    return new Service(name, slo, rate, null, Map.of(V100, BOOK.workload(profile).orElseThrow()));
  }

  /** So many V100s. */
  public static DeviceType v100(int count) {
    return new DeviceType(V100, MemorySize.ofGiB(16), 3.06, count, BOOK.requireDevice(V100));
  }

  /** The paper's twelve workloads on V100s. */
  public static Fleet twelve(Arrivals arrivals) {
    List<Service> services =
        ProfileBook.twelveWorkloads().served().stream()
            .map(served ->
                service(
                    served.name(),
                    served.profile(),
                    served.sloMillis(),
                    served.requestsPerSecond()))
            .toList();
    return new Fleet(List.of(v100(100)), services, List.of(), List.of(), arrivals);
  }

  /** Up to 24 services, some impossible, some with memory, on one or two kinds of device. */
  public static Fleet of(long seed, Arrivals arrivals) {
    Random random = new Random(seed);
    List<DeviceType> devices = new ArrayList<>();
    devices.add(v100(random.nextInt(3) == 0 ? 1 + random.nextInt(6) : 1000));
    if (random.nextBoolean()) {
      double price = 0.5 + random.nextInt(3);
      devices.add(new DeviceType(SLOW, MemorySize.ofGiB(8), price, 1000, BOOK.requireDevice(V100)));
    }
    List<Service> services = new ArrayList<>();
    int count = 1 + random.nextInt(24);
    for (int i = 0; i < count; i++) {
      services.add(service(random, String.format("s%02d", i)));
    }
    return new Fleet(devices, services, List.of(), List.of(), arrivals);
  }

  private static Service service(Random random, String name) {
    WorkloadProfile profile = BOOK.workloads().get(random.nextInt(BOOK.workloads().size()));
    Map<String, WorkloadProfile> profiles = new HashMap<>();
    if (random.nextInt(20) > 0) {
      profiles.put(V100, profile);
    }
    if (random.nextInt(4) > 0) {
      profiles.put(SLOW, slower(profile));
    }
    MemorySize memory =
        random.nextBoolean() ? null : MemorySize.ofMiB(random.nextInt(10) == 0 ? 20_000 : 1_500);
    double slo = OBJECTIVES[random.nextInt(OBJECTIVES.length)];
    return new Service(name, slo, RATES[random.nextInt(RATES.length)], memory, profiles);
  }

  /** The same with memory that grows with the batch, from hardly anything to beyond a GPU. */
  public static Fleet withMemoryByBatch(Fleet fleet, long seed) {
    Random random = new Random(seed);
    List<Service> services = new ArrayList<>();
    for (Service service : fleet.services()) {
      NavigableMap<Integer, MemorySize> points = new TreeMap<>();
      int mebibytes = 200 + random.nextInt(6_000);
      for (int batch : new int[] {1, 4, 32}) {
        points.put(batch, MemorySize.ofMiB(mebibytes));
        mebibytes += random.nextInt(8_000);
      }
      services.add(random.nextInt(4) == 0 ? service : service.with(new MemoryByBatch(points)));
    }
    return fleet.serving(services);
  }

  /** The same at 2.5 times the time. */
  private static WorkloadProfile slower(WorkloadProfile fast) {
    WorkloadProfile.ActiveTime time = fast.activeTime();
    double factor = 2.5;
    return new WorkloadProfile(
        fast.name(),
        SLOW,
        new WorkloadProfile.ActiveTime(
            factor * time.k1(),
            factor * time.k2(),
            factor * time.k3(),
            time.k4(),
            factor * time.k5()),
        fast.cacheSensitivity(),
        fast.demand(),
        fast.kernels(),
        fast.schedulingMillis(),
        fast.inputBytes(),
        fast.outputBytes());
  }

  /** The same fleet in another order. */
  public static Fleet shuffled(Fleet fleet, long seed) {
    List<Service> services = new ArrayList<>(fleet.services());
    List<DeviceType> devices = new ArrayList<>(fleet.devices());
    Collections.shuffle(services, new Random(seed));
    Collections.shuffle(devices, new Random(seed));
    return new Fleet(devices, services, fleet.jobs(), fleet.placement(), fleet.arrivals());
  }
}
