package dev.cotenant.benchmarks.placement;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryOutlook;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** 10,000 GPUs of three products on nodes of eight, with 30,000 tenants thrown at random. */
final class LargeCluster {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final int GPUS = 10_000;
  private static final int TENANTS = 30_000;
  private static final int GPUS_A_NODE = 8;
  private static final MemorySize CAPACITY = MemorySize.ofGiB(40);
  private static final List<Device> DEVICES =
      List.of(
          DeviceCatalogue.builtIn().require("a100-40gb"),
          DeviceCatalogue.builtIn().require("v100-16gb"),
          DeviceCatalogue.builtIn().require("t4"));
  private static final Coverage COVERAGE = Coverage.of(0.9);

  private final Random random = new Random(1);
  private final Supplier<@Nullable GraphWork> graph;

  private LargeCluster(Supplier<@Nullable GraphWork> graph) {
    this.graph = graph;
  }

  /** Where nothing but estimates is known of anybody. */
  static LargeCluster ofEstimates() {
    return new LargeCluster(() -> null);
  }

  /** Where the graphs of all are known, one of a hundred each. */
  static LargeCluster ofGraphs() {
    Random random = new Random(2);
    List<GraphWork> graphs =
        IntStream.range(0, 100)
            .mapToObj(_ ->
                new GraphWork(
                    Math.pow(10, random.nextDouble(8, 11)),
                    Math.pow(10, random.nextDouble(6, 9)),
                    Math.pow(10, random.nextDouble(6, 9)),
                    random.nextInt(10, 200)))
            .toList();
    return new LargeCluster(() -> graphs.get(random.nextInt(graphs.size())));
  }

  /** From {@code fewestTenants} to {@code mostTenants} on a GPU, three on average. */
  ClusterSnapshot snapshot(int fewestTenants, int mostTenants) {
    List<List<Tenant>> tenants = new ArrayList<>();
    int placed = 0;
    for (int i = 0; i < GPUS; i++) {
      List<Tenant> on = new ArrayList<>();
      while (on.size() < fewestTenants) {
        on.add(tenant(placed++));
      }
      tenants.add(on);
    }
    while (placed < TENANTS) {
      List<Tenant> on = tenants.get(random.nextInt(GPUS));
      if (on.size() < mostTenants) {
        on.add(tenant(placed++));
      }
    }
    List<GpuSnapshot> gpus = new ArrayList<>();
    for (int i = 0; i < GPUS; i++) {
      gpus.add(gpu(i, tenants.get(i)));
    }
    return new ClusterSnapshot(NOW, gpus);
  }

  private Tenant tenant(int number) {
    return new Tenant(
        "team-" + number % 97 + "/pod-" + number,
        utilization(random.nextDouble(2, 40)),
        memory(random.nextDouble(1, 12)),
        SharingLimits.DEFAULT.slowdown(),
        NOW.minus(Duration.ofMinutes(random.nextInt(1, 600))),
        run());
  }

  private @Nullable GraphRun run() {
    GraphWork work = graph.get();
    return work == null ? null : new GraphRun(work, 32, RunSettings.DEFAULT);
  }

  private GpuSnapshot gpu(int number, List<Tenant> tenants) {
    long used = tenants.stream().mapToLong(t -> t.peakMemory().mean().bytes()).sum();
    MemorySize seen = MemorySize.ofBytes(Math.min(used, CAPACITY.bytes()));
    Duration age = Duration.ofSeconds(15);
    Duration window = Duration.ofMinutes(5);
    return new GpuSnapshot(
        "GPU-" + Integer.toHexString(number * 7919),
        "node-" + number / GPUS_A_NODE,
        DEVICES.get(number / GPUS_A_NODE % DEVICES.size()),
        CAPACITY,
        new Tenancy.Shared(tenants),
        new MemoryOutlook.Measured(seen, seen, age, window, List.of()));
  }

  /** The names of every hundredth node. */
  static Set<String> oneNodeInAHundred() {
    return IntStream.range(0, GPUS / GPUS_A_NODE)
        .filter(node -> node % 100 == 0)
        .mapToObj(node -> "node-" + node)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** A newcomer within these limits. */
  PlacementRequest.Share request(SharingLimits limits) {
    UtilizationEstimate busy = utilization(random.nextDouble(2, 60));
    MemoryEstimate peak = memory(random.nextDouble(1, 16));
    GraphWork work = graph.get();
    Map<DeviceId, Prediction> predictions = new HashMap<>();
    for (Device device : DEVICES) {
      Prediction prediction =
          new Prediction(device.id(), 64, RunSettings.DEFAULT, busy, peak, "bench", List.of());
      predictions.put(device.id(), work == null ? prediction : prediction.withWork(work));
    }
    return new PlacementRequest.Share("team-0/new", predictions, limits);
  }

  /** The default limits with others of utilization, tenants and slowdown. */
  static SharingLimits limits(double utilizationPercent, int tenants, double slowdown) {
    return new SharingLimits(
        SummedUtilization.ofPercent(utilizationPercent),
        SharingLimits.DEFAULT.memoryHeadroomFraction(),
        tenants,
        Slowdown.ofRatio(slowdown),
        SharingLimits.DEFAULT.leastCoverage());
  }

  private static UtilizationEstimate utilization(double upper) {
    return new UtilizationEstimate(
        Utilization.ofPercent(0.8 * upper),
        Utilization.ofPercent(0.6 * upper),
        Utilization.ofPercent(upper),
        COVERAGE);
  }

  private static MemoryEstimate memory(double upperGiB) {
    MemorySize upper = MemorySize.ofGiB(1).times(upperGiB);
    return new MemoryEstimate(upper.times(0.8), upper.times(0.6), upper, COVERAGE);
  }
}
