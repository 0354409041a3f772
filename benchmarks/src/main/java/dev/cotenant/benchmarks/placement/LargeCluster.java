package dev.cotenant.benchmarks.placement;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
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
import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.ProfiledPartition;
import dev.cotenant.interference.profile.WorkloadProfile;
import dev.cotenant.interference.risk.GraphJob;
import dev.cotenant.interference.risk.RiskModel;
import dev.cotenant.interference.risk.RiskModels;
import dev.cotenant.interference.risk.RiskPrior;
import dev.cotenant.interference.risk.SharedJob;
import dev.cotenant.interference.risk.SpeedMeasurement;
import dev.cotenant.interference.risk.VictimColocation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
  private static final ProfileBook PROFILED = ProfileBook.builtIn();

  /** Coefficients of a V100, used for all products. */
  private static final DeviceProfile COEFFICIENTS = PROFILED.requireDevice("v100-16gb");

  private static final RunSettings SERVED = RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32);

  private static final Duration HORIZON = Duration.ofMinutes(10);
  private static final Coverage COVERAGE = Coverage.of(0.9);

  /** Rows of a memory. */
  private static final int MEASURED = 1_500;

  /** Pairs whose risks are known before the first decision, as in the service. */
  private static final int ESTIMATED = 30_000;

  /** Of the upper bound of utilization. */
  private static final double MEAN = 0.8;

  private static final int MIN_LAYERS = 10;
  private static final int MAX_LAYERS = 200;

  /** Of jobs whose graphs recur. */
  private static final int BATCH = 64;

  private final Random random = new Random(1);
  private final Supplier<@Nullable GraphWork> graph;
  private final boolean recurs;
  private final boolean staysAndServes;

  private LargeCluster(Supplier<@Nullable GraphWork> graph, boolean recurs) {
    this(graph, recurs, false);
  }

  private LargeCluster(
      Supplier<@Nullable GraphWork> graph, boolean recurs, boolean staysAndServes) {
    this.graph = graph;
    this.recurs = recurs;
    this.staysAndServes = staysAndServes;
  }

  /** Where nothing but estimates is known of anybody. */
  static LargeCluster ofEstimates() {
    return new LargeCluster(() -> null, false);
  }

  /** With known graphs, one of a hundred for each workload. */
  static LargeCluster ofGraphs() {
    Random random = new Random(2);
    List<GraphWork> graphs = graphs();
    return new LargeCluster(() -> graphs.get(random.nextInt(graphs.size())), false);
  }

  /** The same where each graph always has the same utilization, as recurring jobs have. */
  static LargeCluster ofRecurringJobs() {
    Random random = new Random(2);
    List<GraphWork> graphs = graphs();
    return new LargeCluster(() -> graphs.get(random.nextInt(graphs.size())), true);
  }

  /** Recurring jobs of known stays, and services with objectives among them. */
  static LargeCluster ofServicesAndStays() {
    Random random = new Random(2);
    List<GraphWork> graphs = graphs();
    return new LargeCluster(() -> graphs.get(random.nextInt(graphs.size())), true, true);
  }

  /**
   * Risks of a full memory of the pairs of recurring jobs, the same for every namespace.
   *
   * @param leastSpeed of a victim over its speed alone; speeds are uniform between both
   */
  static RiskModels risks(double leastSpeed, double mostSpeed) {
    Random random = new Random(3);
    List<GraphWork> graphs = graphs();
    RiskModel model = new RiskModel(RiskPrior.STATED);
    while (model.rows() < MEASURED) {
      Device device = DEVICES.get(random.nextInt(DEVICES.size()));
      VictimColocation pair =
          new VictimColocation(
              device.id().value(),
              job(graphs, random, device),
              List.of(job(graphs, random, device)));
      model.learn(new SpeedMeasurement(pair, random.nextDouble(leastSpeed, mostSpeed), 0.03));
    }
    model.estimateAhead(ESTIMATED);
    return _ -> model;
  }

  private static SharedJob job(List<GraphWork> graphs, Random random, Device device) {
    GraphWork work = graphs.get(random.nextInt(graphs.size()));
    return GraphJob.of(
        new GraphRun(work, BATCH, RunSettings.DEFAULT), device, MEAN * percent(work));
  }

  /** Of the graph alone. */
  private static double percent(GraphWork work) {
    return 2 + 38 * (work.layers() - MIN_LAYERS) / (double) (MAX_LAYERS - MIN_LAYERS);
  }

  private static List<GraphWork> graphs() {
    Random random = new Random(4);
    return IntStream.range(0, 100)
        .mapToObj(_ ->
            new GraphWork(
                Math.pow(10, random.nextDouble(8, 11)),
                Math.pow(10, random.nextDouble(6, 9)),
                Math.pow(10, random.nextDouble(6, 9)),
                random.nextInt(MIN_LAYERS, MAX_LAYERS)))
        .toList();
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
    GraphWork work = graph.get();
    Tenant tenant =
        new Tenant(
            "team-" + number % 97 + "/pod-" + number,
            utilization(recurs && work != null ? percent(work) : random.nextDouble(2, 40)),
            memory(random.nextDouble(1, 12)),
            staysAndServes && number % 2 == 0
                ? Slowdown.ofRatio(random.nextDouble(1.02, 1.15))
                : SharingLimits.DEFAULT.slowdown(),
            SharingLimits.DEFAULT.risk(),
            NOW.minus(Duration.ofMinutes(random.nextInt(1, 600))),
            work == null ? null : new GraphRun(work, recurs ? BATCH : 32, RunSettings.DEFAULT));
    return staysAndServes
        ? tenant.stayingFor(Duration.ofMinutes(random.nextInt(1, 1_200)))
        : tenant;
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
        new MemoryObservation.Measured(
            seen, seen, age, window, List.of(), staysAndServes ? HORIZON : null));
  }

  /**
   * The same GPU as seen anew; names and readings that are polled are other objects.
   *
   * @param more percent busy than its tenants were predicted to keep it
   */
  static GpuSnapshot observed(GpuSnapshot gpu, double more) {
    double predicted =
        gpu.tenancy() instanceof Tenancy.Shared(List<Tenant> tenants)
            ? tenants.stream().mapToDouble(one -> one.utilization().mean().percent()).sum()
            : 0;
    MemoryObservation.Measured memory = (MemoryObservation.Measured) gpu.memory();
    return new GpuSnapshot(
        String.valueOf(gpu.uuid().toCharArray()),
        String.valueOf(gpu.node().toCharArray()),
        gpu.device(),
        gpu.capacity(),
        gpu.tenancy(),
        new MemoryObservation.Measured(
            memory.lastUsed(),
            memory.windowPeak(),
            memory.age(),
            memory.window(),
            memory.forecasts(),
            memory.grantsBeyond()),
        Utilization.ofPercentClipped(Math.min(100, predicted) + more));
  }

  /**
   * The same cluster where every GPU, or every second, has profiled services in partitions alone.
   *
   * @param every 1 or 2
   * @param mostSlowdown that such a tenant tolerates at most, above 1
   * @param mostSharePercent maximum sum of their shares
   */
  ClusterSnapshot inPartitions(
      ClusterSnapshot cluster, int every, double mostSlowdown, int mostSharePercent) {
    List<GpuSnapshot> gpus = new ArrayList<>();
    for (GpuSnapshot gpu : cluster.gpus()) {
      gpus.add(
          gpus.size() % every == 0
              ? gpu(gpus.size(), served(mostSlowdown, mostSharePercent))
              : gpu);
    }
    return new ClusterSnapshot(NOW, gpus);
  }

  private List<Tenant> served(double mostSlowdown, int mostSharePercent) {
    List<Tenant> tenants = new ArrayList<>();
    int free = mostSharePercent;
    for (int share = drawnShare(); share <= free; share = drawnShare()) {
      GraphWork work = Objects.requireNonNull(graph.get(), "recurring graphs");
      tenants.add(
          new Tenant(
                  "team-0/server-" + tenants.size(),
                  utilization(percent(work)),
                  memory(random.nextDouble(1, 4)),
                  Slowdown.ofRatio(random.nextDouble(1, mostSlowdown)),
                  SharingLimits.DEFAULT.risk(),
                  NOW.minus(Duration.ofMinutes(random.nextInt(1, 600))),
                  new GraphRun(work, BATCH, SERVED))
              .inPartition(partition(share)));
      free -= share;
    }
    return tenants;
  }

  private int drawnShare() {
    return 5 * random.nextInt(2, 9);
  }

  private ProfiledPartition partition(int sharePercent) {
    WorkloadProfile profile = PROFILED.workloads().get(random.nextInt(PROFILED.workloads().size()));
    return new ProfiledPartition(
        profile, COEFFICIENTS, random.nextInt(1, 33), Share.ofPercent(sharePercent));
  }

  /** A profiled service with a latency objective, which five more shares meet as well. */
  PlacementRequest.Share profiledService(SharingLimits limits) {
    PlacementRequest.Share request = request(limits);
    int least = 5 * random.nextInt(2, 9);
    ProfiledPartition partition = partition(least + 25);
    List<ObjectivePrediction.SmallerShare> smaller =
        IntStream.range(0, 5)
            .mapToObj(i ->
                new ObjectivePrediction.SmallerShare(
                    Share.ofPercent(least + 5 * i), 1.1 - 0.02 * i, 0.04, 1 + 0.03 * i))
            .toList();
    ObjectivePrediction service =
        new ObjectivePrediction(
                Duration.ofMillis(50), 20.0, 0.02, 1.15, 20, Share.ofPercent(least + 25))
            .withSmaller(smaller);
    Map<DeviceId, Prediction> served = new HashMap<>(request.predictions());
    served.replaceAll((_, prediction) -> prediction.withPartition(partition).withService(service));
    return request.withPredictions(served);
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
    GraphWork work = graph.get();
    UtilizationEstimate busy =
        utilization(recurs && work != null ? percent(work) : random.nextDouble(2, 60));
    MemoryEstimate peak = memory(random.nextDouble(1, 16));
    Map<DeviceId, Prediction> predictions = new HashMap<>();
    for (Device device : DEVICES) {
      Prediction prediction =
          new Prediction(device.id(), 64, RunSettings.DEFAULT, busy, peak, "bench", List.of());
      predictions.put(device.id(), work == null ? prediction : prediction.withWork(work));
    }
    return new PlacementRequest.Share("team-0/new", predictions, limits);
  }

  /** A newcomer with a latency objective, limited to a share of the SMs that stands a slowdown. */
  PlacementRequest.Share service(SharingLimits limits) {
    PlacementRequest.Share request = request(limits);
    Map<DeviceId, Prediction> served = new HashMap<>(request.predictions());
    served.replaceAll((_, prediction) ->
        prediction.withService(
            new ObjectivePrediction(
                Duration.ofMillis(50),
                20.0,
                0.02,
                random.nextDouble(1.05, 2),
                20,
                Share.ofPercent(10 * random.nextInt(2, 11)))));
    return request.withPredictions(served);
  }

  /** The default limits with others of utilization, tenants and slowdown. */
  static SharingLimits limits(double utilizationPercent, int tenants, double slowdown) {
    return SharingLimits.DEFAULT
        .withSummedUtilization(SummedUtilization.ofPercent(utilizationPercent))
        .withTenants(tenants)
        .withSlowdown(Slowdown.ofRatio(slowdown));
  }

  private static UtilizationEstimate utilization(double upper) {
    return new UtilizationEstimate(
        Utilization.ofPercent(MEAN * upper),
        Utilization.ofPercent(0.6 * upper),
        Utilization.ofPercent(upper),
        COVERAGE);
  }

  private static MemoryEstimate memory(double upperGiB) {
    MemorySize upper = MemorySize.ofGiB(1).times(upperGiB);
    return new MemoryEstimate(upper.times(0.8), upper.times(0.6), upper, COVERAGE);
  }
}
