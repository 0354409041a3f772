package dev.cotenant.benchmarks.placement;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.interference.risk.RiskModels;
import dev.cotenant.placement.SharingDecider;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** One decision on 10,000 GPUs with 30,000 tenants; every call has another of 1,024 newcomers. */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 3, time = 3)
@Fork(1)
@State(Scope.Benchmark)
@NullUnmarked
public class DecisionBenchmark {
  private static final int REQUESTS = 1024;

  /** Decisions before the first on new readings, as of a process that has run for a while. */
  private static final int EARLIER = 10_000;

  /**
   * Scenarios: default limits; eight tenants; twice the utilization as well, so that slowdown
   * binds; a slowdown limit of 1 and tenants on every GPU, so that all GPUs fail by slowdown alone;
   * the same with known graphs; recurring jobs with a risk model of partly compatible pairs, and of
   * incompatible pairs, so that all GPUs fail by risk alone; the compatible case with services as
   * every second newcomer, slowdown limits on every second tenant, and grants for the tenants'
   * lifetimes; the same with profiled services in partitions on every second GPU and as every
   * second newcomer, and on all GPUs and as all newcomers, so that all GPUs fail by their services'
   * tolerance alone.
   */
  @Param({
    "defaults",
    "eight-tenants",
    "slowdown-binds",
    "refused-by-slowdown",
    "refused-by-slowdown-of-graphs",
    "risk",
    "refused-by-risk",
    "risk-services-and-stays",
    "partitions",
    "refused-by-partitions"
  })
  public String limits;

  private SharingDecider decider;
  private final List<PlacementRequest> requests = new ArrayList<>();
  private ClusterSnapshot snapshot;
  private Set<String> fewNodes;
  private int next;

  @Setup
  public void prepare() {
    decider = new SharingDecider(FallbackInterferenceModel.builtIn(), risks());
    LargeCluster large = cluster();
    snapshot = snapshot(large);
    fewNodes = LargeCluster.oneNodeInAHundred();
    for (int i = 0; i < REQUESTS; i++) {
      requests.add(request(large, i));
    }
    decider.decide(snapshot, requests.getFirst());
  }

  private ClusterSnapshot snapshot(LargeCluster large) {
    ClusterSnapshot drawn = large.snapshot(limits.startsWith("refused") ? 1 : 0, 8);
    return switch (limits) {
      case "partitions" -> large.inPartitions(drawn, 2, 1.15, 100);
      case "refused-by-partitions" -> large.inPartitions(drawn, 1, 1.001, 50);
      default -> drawn;
    };
  }

  private PlacementRequest.Share request(LargeCluster large, int number) {
    return switch (limits) {
      case "partitions" ->
          number % 2 == 0 ? large.profiledService(sharingLimits()) : large.request(sharingLimits());
      case "refused-by-partitions" -> large.profiledService(sharingLimits());
      default ->
          isServing() && number % 2 == 0
              ? large.service(sharingLimits())
              : large.request(sharingLimits());
    };
  }

  private LargeCluster cluster() {
    if (isServing()) {
      return LargeCluster.ofServicesAndStays();
    }
    if (limits.endsWith("risk")) {
      return LargeCluster.ofRecurringJobs();
    }
    return limits.endsWith("-of-graphs") ? LargeCluster.ofGraphs() : LargeCluster.ofEstimates();
  }

  private boolean isServing() {
    return limits.equals("risk-services-and-stays") || limits.endsWith("partitions");
  }

  private RiskModels risks() {
    return switch (limits) {
      case "risk", "risk-services-and-stays", "partitions" -> LargeCluster.risks(0.7, 1);
      case "refused-by-risk" -> LargeCluster.risks(0.5, 0.6);
      default -> RiskModels.UNTRAINED;
    };
  }

  private SharingLimits sharingLimits() {
    return switch (limits) {
      case "defaults" -> SharingLimits.DEFAULT;
      case "risk", "risk-services-and-stays", "refused-by-risk", "partitions" ->
          LargeCluster.limits(200, 8, 1.15);
      case "eight-tenants" -> LargeCluster.limits(100, 8, 1.15);
      case "refused-by-partitions", "slowdown-binds" -> LargeCluster.limits(200, 8, 1.15);
      case "refused-by-slowdown", "refused-by-slowdown-of-graphs" -> LargeCluster.limits(200, 8, 1);
      default -> throw new IllegalArgumentException("no limits '" + limits + "'");
    };
  }

  private PlacementRequest request() {
    next = (next + 1) % REQUESTS;
    return requests.get(next);
  }

  /** On a snapshot that already served a decision. */
  @Benchmark
  public Decision decide() {
    return decider.decide(snapshot, request());
  }

  /** As {@link #decide}, on the GPUs of one node in a hundred. */
  @Benchmark
  public Decision decideAmongFewNodes() {
    return decider.decide(snapshot, request(), gpu -> fewNodes.contains(gpu.node()));
  }

  /** On a snapshot in which one GPU has another tenancy than in the last. */
  @Benchmark
  public Decision decideAfterOneChange() {
    GpuSnapshot gpu = snapshot.gpus().get(next * 7 % snapshot.gpus().size());
    Tenancy tenancy = snapshot.gpus().get(next * 13 % snapshot.gpus().size()).tenancy();
    return decider.decide(snapshot.with(List.of(gpu.withTenancy(tenancy))), request());
  }

  /** First decision on a new snapshot: same GPUs as before, new samples for all. */
  @Benchmark
  public Decision decideOnNewSnapshot(Prepared anew) {
    return decider.decide(anew.snapshot, request());
  }

  /** Preparation of a new snapshot, once per reading. */
  @Benchmark
  public void prepareNewSnapshot(NewSnapshot anew) {
    decider.prepare(anew.snapshot);
  }

  /** A prepared snapshot without a decision, made outside the measured time. */
  @State(Scope.Thread)
  public static class Prepared extends NewSnapshot {
    @Setup(Level.Invocation)
    @Override
    public void sample(DecisionBenchmark benchmark) {
      super.sample(benchmark);
      benchmark.decider.prepare(snapshot);
    }
  }

  /** A snapshot that is not prepared, made outside the measured time. */
  @State(Scope.Thread)
  public static class NewSnapshot {
    ClusterSnapshot snapshot;

    @Setup(Level.Trial)
    public void decide(DecisionBenchmark benchmark) {
      for (int i = 0; i < EARLIER; i++) {
        benchmark.decide();
      }
    }

    @Setup(Level.Invocation)
    public void sample(DecisionBenchmark benchmark) {
      List<GpuSnapshot> gpus = new ArrayList<>();
      for (GpuSnapshot gpu : benchmark.snapshot.gpus()) {
        gpus.add(LargeCluster.observed(gpu, ThreadLocalRandom.current().nextDouble(-5, 5)));
      }
      snapshot = new ClusterSnapshot(benchmark.snapshot.takenAt(), gpus);
    }
  }
}
