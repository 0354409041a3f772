package dev.cotenant.placement;

import static dev.cotenant.placement.Clusters.A100;
import static dev.cotenant.placement.Clusters.NOW;
import static dev.cotenant.placement.Clusters.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.decision.TrustDomain;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.graph.GraphWork;
import dev.cotenant.domain.prediction.GraphRun;
import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.interference.risk.GraphJob;
import dev.cotenant.interference.risk.RiskModel;
import dev.cotenant.interference.risk.RiskModels;
import dev.cotenant.interference.risk.RiskPrior;
import dev.cotenant.interference.risk.SpeedMeasurement;
import dev.cotenant.interference.risk.VictimColocation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The index must not be seen: decisions and reasons are those of looking at every GPU. */
class IndexedDecisionTest {
  private static final int SNAPSHOTS = 3_000;

  /** Two of the catalogue, one that is not in it, and one that is not what the catalogue says. */
  private static final List<Device> DEVICES =
      List.of(
          A100,
          DeviceCatalogue.builtIn().require("v100-16gb"),
          likeA100("nobody-knows", 1500),
          likeA100("t4", 5));

  private static Device likeA100(String id, double gigabytesPerSecond) {
    return new Device(
        new DeviceId(id),
        A100.productName(),
        A100.memory(),
        A100.peak(),
        gigabytesPerSecond,
        A100.streamingMultiprocessors(),
        A100.l2Cache(),
        A100.boardPowerWatts(),
        A100.source());
  }

  private final FallbackInterferenceModel interference = FallbackInterferenceModel.builtIn();
  private final RiskModels risks = risks();
  private final SharingDecider decider = new SharingDecider(interference, risks);
  private final ExhaustiveDecider exhaustive = new ExhaustiveDecider(interference, risks);
  private int risky;
  private int tried;

  /** Speeds of some of the recurring configurations beside others, of one namespace. */
  private static RiskModels risks() {
    Random random = new Random(7);
    RiskModel model = new RiskModel(RiskPrior.STATED);
    for (int i = 0; i < 60; i++) {
      Device device = DEVICES.get(random.nextInt(DEVICES.size()));
      VictimColocation colocation =
          new VictimColocation(
              device.id().value(),
              GraphJob.of(recurring(random), device, random.nextInt(5, 50)),
              List.of(GraphJob.of(recurring(random), device, random.nextInt(5, 50))));
      model.learn(new SpeedMeasurement(colocation, random.nextDouble(0.6, 1.1), 0.03));
    }
    return namespace -> namespace.equals("team-b") ? RiskModels.UNTRAINED.of(namespace) : model;
  }

  /** One of a few configurations. */
  private static GraphRun recurring(Random random) {
    double kind = 1 + random.nextInt(5);
    return new GraphRun(new GraphWork(kind * 1e9, 1e8 / kind, 1e8, 50), 64, RunSettings.DEFAULT);
  }

  /** Budgets and trials, some in a trial. */
  private static RiskLimit risk(Random random) {
    RiskLimit risk =
        switch (random.nextInt(4)) {
          case 0 -> RiskLimit.NONE;
          case 1 -> new RiskLimit(0.05 * random.nextInt(10), RiskLimit.Rule.ALWAYS);
          default -> new RiskLimit(0.05 * random.nextInt(10), RiskLimit.Rule.LEARNED);
        };
    return risk.withExploration(
        new RiskLimit.Exploration(
            0.25 * random.nextInt(5), 0.2 * random.nextInt(5), random.nextInt(6) == 0));
  }

  /** As a policy has them. */
  private static RiskLimit policyRisk(Random random) {
    RiskLimit risk = risk(random);
    return risk.withExploration(
        new RiskLimit.Exploration(risk.exploration().share(), risk.exploration().mostRisk()));
  }

  @Test
  void decidesAsIfItHadLookedAtEveryGpu() {
    Map<Class<?>, Integer> kinds = new HashMap<>();
    Map<Class<?>, Integer> kindsAmongSome = new HashMap<>();
    for (int seed = 0; seed < SNAPSHOTS; seed++) {
      Random random = new Random(seed);
      ClusterSnapshot snapshot = cluster(random);
      for (int i = 0; i < 3; i++) {
        PlacementRequest request = request(random);
        kinds.merge(decided(snapshot, request, "seed " + seed), 1, Integer::sum);
        Class<?> kind = decided(snapshot, request, among(random), "seed " + seed);
        kindsAmongSome.merge(kind, 1, Integer::sum);
      }
    }
    assertThat(kinds).hasSize(3).allSatisfy((_, times) -> assertThat(times).isGreaterThan(300));
    assertThat(kindsAmongSome)
        .hasSize(3)
        .allSatisfy((_, times) -> assertThat(times).isGreaterThan(300));
    assertThat(risky).as("decisions in which a budget of risk binds").isGreaterThan(300);
    assertThat(tried).as("grants in a trial").isGreaterThan(15);
  }

  @Test
  void keepsTheIndexTrueWhileSingleGpusChange() {
    for (int seed = 0; seed < SNAPSHOTS / 10; seed++) {
      Random random = new Random(seed);
      ClusterSnapshot snapshot = cluster(random);
      for (int step = 0; step < 20 && !snapshot.gpus().isEmpty(); step++) {
        decider.decide(snapshot, request(random));
        snapshot = snapshot.with(changed(snapshot, random));
        PlacementRequest request = request(random);
        decided(snapshot, request, "seed " + seed + ", step " + step);
        decided(snapshot, request, among(random), "seed " + seed + ", step " + step);
      }
    }
  }

  /** Both alike; which kind of decision it was. */
  private Class<?> decided(ClusterSnapshot snapshot, PlacementRequest request, String where) {
    Decision decision = decider.decide(snapshot, request);
    assertThat(decision).as(where).isEqualTo(exhaustive.decide(snapshot, request));
    risky += isByRisk(decision) ? 1 : 0;
    tried += isTrial(decision) ? 1 : 0;
    return decision.getClass();
  }

  private static boolean isByRisk(Decision decision) {
    return decision.reasons().stream().anyMatch(Reason.RiskExceeded.class::isInstance)
        || (decision instanceof Decision.Admitted admitted
            && admitted.evidence() instanceof Evidence.WithinLimits within
            && within.risk() != null);
  }

  private static boolean isTrial(Decision decision) {
    return decision instanceof Decision.Admitted admitted
        && admitted.evidence() instanceof Evidence.WithinLimits within
        && within.isTrial();
  }

  private Class<?> decided(
      ClusterSnapshot snapshot,
      PlacementRequest request,
      Predicate<GpuSnapshot> among,
      String where) {
    Decision decision = decider.decide(snapshot, request, among);
    assertThat(decision)
        .as("%s, among some", where)
        .isEqualTo(exhaustive.decide(snapshot, request, among));
    return decision.getClass();
  }

  @Test
  void takesTheFirstByNameOfGpusThatAreAsBusy() {
    ClusterSnapshot tied =
        Clusters.cluster(half("GPU-3"), half("GPU-1"), Clusters.free("GPU-0"), half("GPU-2"));

    assertThat(Decisions.grantedTo(decider.decide(tied, Clusters.share(30, 4)))).isEqualTo("GPU-1");
  }

  /** 30 GiB would fit on the large GPU; among the small ones alone they never will. */
  @Test
  void deniesWhatWouldFitOnlyOnGpusThatAreOutOfTheQuestion() {
    GpuSnapshot large = Clusters.gpu("GPU-large", full(), Clusters.measured(4, 4));
    GpuSnapshot small =
        new GpuSnapshot(
            "GPU-small", "node-2", A100, MemorySize.ofGiB(16), full(), Clusters.measured(4, 4));
    ClusterSnapshot both = Clusters.cluster(large, small);

    assertThat(decider.decide(both, Clusters.share(30, 30))).isInstanceOf(Decision.Held.class);
    Decision decision =
        decider.decide(both, Clusters.share(30, 30), gpu -> gpu.node().equals("node-2"));
    assertThat(decision).isInstanceOf(Decision.Denied.class);
    assertThat(Decisions.reasons(decision))
        .isNotEmpty()
        .allMatch(reason -> ((Reason.OfGpu) reason).gpuUuid().equals("GPU-small"));
  }

  @Test
  void countsOnlyTheGpusThatComeIntoQuestion() {
    ClusterSnapshot three =
        Clusters.cluster(half("GPU-1"), half("GPU-2"), Clusters.free("GPU-free"));
    PlacementRequest unknownHere =
        new PlacementRequest.Share("team-a/new", Map.of(), SharingLimits.DEFAULT);

    assertThat(Decisions.lines(decider.decide(three, unknownHere, gpu -> FreeGpu.isFree(gpu))))
        .containsExactly("NoCandidateGpu: 0/1 GPUs are eligible: none of them has a prediction");
    assertThat(Decisions.lines(decider.decide(three, Clusters.share(30, 4), _ -> false)))
        .containsExactly("NoCandidateGpu: 0/0 GPUs are eligible: none of them has a prediction");
  }

  private static Tenancy full() {
    return Clusters.shared(Clusters.tenant("t/a", 95, 4, Duration.ofHours(1)));
  }

  private static GpuSnapshot half(String uuid) {
    return Clusters.gpu(
        uuid,
        Clusters.shared(Clusters.tenant("t/a", 50, 4, Duration.ofHours(1))),
        Clusters.measured(4, 4));
  }

  /** Another tenancy and observation for one GPU, or for very many. */
  private static List<GpuSnapshot> changed(ClusterSnapshot snapshot, Random random) {
    List<GpuSnapshot> changed = new ArrayList<>();
    int every = random.nextInt(4) == 0 ? 1 : snapshot.gpus().size();
    for (int i = random.nextInt(every); i < snapshot.gpus().size(); i += every) {
      GpuSnapshot gpu = snapshot.gpus().get(i).withTenancy(tenancy(random));
      changed.add(random.nextBoolean() ? gpu : gpu.withMemory(memory(random)));
    }
    return changed;
  }

  private static ClusterSnapshot cluster(Random random) {
    int nodes = random.nextInt(1, 6);
    int size = random.nextInt(8) == 0 ? 40 : 8;
    return new ClusterSnapshot(
        NOW,
        IntStream.range(0, random.nextInt(0, size))
            .mapToObj(i -> gpu("GPU-" + (i * 7919) % 1000, random, nodes))
            .toList());
  }

  private static GpuSnapshot gpu(String uuid, Random random, int nodes) {
    Device device = DEVICES.get(random.nextInt(DEVICES.size()));
    return new GpuSnapshot(
        uuid,
        "node-" + random.nextInt(nodes),
        device,
        MemorySize.ofGiB(random.nextInt(3) == 0 ? 16 : 40),
        tenancy(random),
        memory(random),
        some(random, () -> Utilization.ofPercent(10 * random.nextInt(0, 11))));
  }

  private static Tenancy tenancy(Random random) {
    return switch (random.nextInt(9)) {
      case 0 -> new Tenancy.Mig();
      case 1 -> new Tenancy.Exclusive("team-b/whole");
      case 2, 3 -> Clusters.shared();
      default ->
          new Tenancy.Shared(
              IntStream.range(0, random.nextInt(4)).mapToObj(i -> tenant(i, random)).toList());
    };
  }

  /** In tens of percent and tenths, so that sums tie, some to the last bit and some nearly. */
  private static Tenant tenant(int i, Random random) {
    double percent = random.nextInt(4) == 0 ? 0.1 * random.nextInt(600) : 10 * random.nextInt(6);
    return new Tenant(
            (random.nextInt(5) == 0 ? "team-b/" : "t/") + i,
            Clusters.utilization(percent),
            Clusters.memory(random.nextInt(1, 12)),
            slowdownLimit(random),
            risk(random),
            NOW.minus(Duration.ofMinutes(random.nextInt(1, 60))),
            some(
                random,
                () ->
                    random.nextBoolean()
                        ? recurring(random)
                        : new GraphRun(work(random), random.nextInt(1, 64), RunSettings.DEFAULT)))
        .stayingFor(stay(random));
  }

  /** One of a few limits, or one of its own. */
  private static Slowdown slowdownLimit(Random random) {
    return Slowdown.ofRatio(
        switch (random.nextInt(4)) {
          case 0 -> 1;
          case 1 -> 1.05;
          case 2 -> random.nextDouble(1, 1.5);
          default -> 1.15;
        });
  }

  private static @Nullable Duration stay(Random random) {
    return some(random, () -> Duration.ofMinutes(random.nextInt(1, 80)));
  }

  /** From what moves memory all the time to what hardly does. */
  private static GraphWork work(Random random) {
    return new GraphWork(
        Math.pow(10, random.nextDouble(7, 11)),
        Math.pow(10, random.nextDouble(5, 9)),
        Math.pow(10, random.nextDouble(6, 9)),
        random.nextInt(1, 200));
  }

  private static MemoryObservation memory(Random random) {
    int last = random.nextInt(3) == 0 ? 0 : random.nextInt(0, 30);
    return switch (random.nextInt(12)) {
      case 0 -> new MemoryObservation.Unmeasured();
      case 1 -> new MemoryObservation.Stale(Duration.ofMinutes(5), Duration.ofMinutes(2));
      default ->
          new MemoryObservation.Measured(
              MemorySize.ofGiB(last),
              MemorySize.ofGiB(last + random.nextInt(5)),
              Duration.ofSeconds(20),
              WINDOW,
              List.of(Clusters.forecast("cbp", random.nextInt(0, 40))),
              some(random, () -> random.nextBoolean() ? Duration.ZERO : Duration.ofMinutes(10)));
    };
  }

  /** Some nodes, some GPUs, or none. */
  private static Predicate<GpuSnapshot> among(Random random) {
    int nodes = random.nextInt(1 << 6);
    int salt = random.nextInt();
    return switch (random.nextInt(8)) {
      case 0 -> _ -> false;
      case 1, 2, 3 -> gpu -> (new Random(salt ^ gpu.uuid().hashCode()).nextInt() & 1) == 0;
      default -> gpu -> (nodes >> (gpu.node().charAt(gpu.node().length() - 1) - '0') & 1) == 0;
    };
  }

  private static PlacementRequest request(Random random) {
    Map<DeviceId, Prediction> predictions = new HashMap<>();
    for (Device device : DEVICES) {
      if (random.nextInt(4) > 0) {
        predictions.put(device.id(), prediction(device, random));
      }
    }
    if (random.nextInt(4) == 0) {
      ExclusiveCause because =
          random.nextBoolean()
              ? new ExclusiveCause.SeveralGpus()
              : new ExclusiveCause.ModelUnknown("nobody-knows");
      return new PlacementRequest.Whole("team-a/new", random.nextInt(1, 4), because, predictions);
    }
    return new PlacementRequest.Share("t/new", predictions, deviceLimits(random), trust(random));
  }

  private static TrustDomain trust(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> "t"::equals;
      case 1 -> "team-b"::equals;
      default -> TrustDomain.CLUSTER;
    };
  }

  /** The same everywhere, or others on some products. */
  private static DeviceLimits deviceLimits(Random random) {
    Map<DeviceId, SharingLimits> exceptions = new HashMap<>();
    for (Device device : random.nextBoolean() ? DEVICES : List.<Device>of()) {
      if (random.nextBoolean()) {
        exceptions.put(device.id(), limits(random));
      }
    }
    return new DeviceLimits(limits(random), exceptions);
  }

  private static Prediction prediction(Device device, Random random) {
    Prediction prediction =
        Clusters.prediction(
            device,
            Clusters.utilization(
                random.nextBoolean() ? 10 * random.nextInt(1, 11) : 0.1 * random.nextInt(1, 999)),
            Clusters.memory(random.nextInt(1, random.nextInt(4) == 0 ? 60 : 10)));
    Double coverage = some(random, () -> 0.5);
    Prediction known =
        switch (random.nextInt(4)) {
          case 3 -> prediction.withLifetime(stay(random));
          case 0 -> prediction.withWork(work(random));
          case 1 -> prediction.withWork(recurring(random).work());
          default -> prediction;
        };
    Prediction served = random.nextInt(4) == 0 ? known.withService(service(random)) : known;
    return random.nextInt(6) == 0 ? Clusters.covered(served, coverage) : served;
  }

  /** Missed alone in one case of four, else with little to much slack. */
  private static ObjectivePrediction service(Random random) {
    double slowdown = random.nextInt(4) == 0 ? 0.9 : 1 + 0.02 * random.nextInt(20);
    return new ObjectivePrediction(Duration.ofMillis(50), 20.0, 0.01, slowdown, 20, Share.WHOLE);
  }

  private static SharingLimits limits(Random random) {
    return random.nextBoolean()
        ? SharingLimits.DEFAULT
        : new SharingLimits(
            SummedUtilization.ofPercent(10 * random.nextInt(5, 21)),
            0.05 * random.nextInt(3),
            random.nextInt(1, 6),
            Slowdown.ofRatio(1 + 0.05 * random.nextInt(1, 8)),
            Coverage.of(random.nextInt(3) == 0 ? 0 : 0.9),
            policyRisk(random));
  }

  private static <T> @Nullable T some(Random random, Supplier<T> value) {
    return random.nextBoolean() ? value.get() : null;
  }
}
