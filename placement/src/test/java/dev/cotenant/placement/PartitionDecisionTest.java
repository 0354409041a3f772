package dev.cotenant.placement;

import static dev.cotenant.placement.Clusters.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.SummedUtilization;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.interference.partition.GpuState;
import dev.cotenant.interference.profile.DeviceProfile;
import dev.cotenant.interference.profile.ProfileBook;
import dev.cotenant.interference.profile.ProfiledPartition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Profiled services beside each other in partitions. */
class PartitionDecisionTest {
  private static final Device V100 = DeviceCatalogue.builtIn().require("v100-16gb");
  private static final ProfileBook BOOK = ProfileBook.builtIn();
  private static final DeviceProfile PROFILED = BOOK.device("v100-16gb").orElseThrow();
  private static final List<String> MODELS = List.of("alexnet", "resnet50", "vgg19", "ssd");
  private final FallbackInterferenceModel interference = FallbackInterferenceModel.builtIn();
  private final SharingDecider decider = new SharingDecider(interference);

  private static ProfiledPartition partition(String model, int batch, double percent) {
    return new ProfiledPartition(
        BOOK.workload(model).orElseThrow(), PROFILED, batch, Share.ofPercent(percent));
  }

  private static Tenant tenant(
      String name, double busy, double limit, @Nullable ProfiledPartition partition) {
    return new Tenant(
            name,
            Clusters.utilization(busy),
            Clusters.memory(2),
            Slowdown.ofRatio(limit),
            NOW.minus(Duration.ofHours(1)))
        .inPartition(partition);
  }

  private static GpuSnapshot gpu(String uuid, Tenant... tenants) {
    return new GpuSnapshot(
        uuid,
        "node-1",
        V100,
        MemorySize.ofGiB(16),
        Clusters.shared(tenants),
        Clusters.measured(2, 2));
  }

  private static PlacementRequest.Share request(
      double busy, SharingLimits limits, @Nullable ProfiledPartition partition) {
    Prediction prediction =
        Clusters.prediction(V100, Clusters.utilization(busy), Clusters.memory(2))
            .withPartition(partition);
    return new PlacementRequest.Share("t/new", Map.of(V100.id(), prediction), limits);
  }

  private static SharingLimits limits(double summedPercent, double slowdown) {
    return new SharingLimits(
        SummedUtilization.ofPercent(summedPercent),
        0.05,
        8,
        Slowdown.ofRatio(slowdown),
        SharingLimits.DEFAULT.leastCoverage(),
        SharingLimits.DEFAULT.risk());
  }

  /** Of the largest batch. */
  private static double slowdown(List<ProfiledPartition> all, int index) {
    return slowdown(all, index, all.get(index).batch());
  }

  private static double slowdown(List<ProfiledPartition> all, int index, int batch) {
    GpuState state = new GpuState(PROFILED, all.size());
    ProfiledPartition own = all.get(index);
    state.place(own.profile(), batch, own.share().percent());
    state.evaluate();
    double alone = state.latencyMillis(0);
    state.clear();
    for (int i = 0; i < all.size(); i++) {
      ProfiledPartition one = all.get(i);
      state.place(one.profile(), i == index ? batch : one.batch(), one.share().percent());
    }
    assertThat(state.evaluate()).isEqualTo(GpuState.Status.VALID);
    return state.latencyMillis(index) / alone;
  }

  /** Partitions run at the same time: three that are busy 80 % of it share one GPU. */
  @Test
  void sharesByPartitionsWhereUtilizationsAddUpBeyondTheGpu() {
    ProfiledPartition alexnet = partition("alexnet", 4, 20);
    ProfiledPartition resnet = partition("resnet50", 4, 30);
    ProfiledPartition vgg = partition("vgg19", 2, 40);
    List<ProfiledPartition> all = List.of(alexnet, resnet, vgg);
    ClusterSnapshot busy =
        Clusters.cluster(
            gpu("gpu-a", tenant("t/a", 80, 1.15, alexnet), tenant("t/r", 80, 1.15, resnet)));

    Evidence.WithinLimits evidence =
        Decisions.evidence(decider.decide(busy, request(80, limits(100, 1.15), vgg)));

    double worst = 1;
    for (int i = 0; i < all.size(); i++) {
      worst = Math.max(worst, Math.max(slowdown(all, i), slowdown(all, i, 1)));
    }
    assertThat(worst).isGreaterThan(1.1);
    assertThat(evidence.slowdown().ratio()).isCloseTo(worst, within(1e-9));
    assertThat(evidence.sentence())
        .startsWith("shares 90.0 % of the GPU, utilization 240.0 %, ")
        .contains("by igniter: t/a in 20.0 % with ");
    assertThat(Objects.requireNonNull(evidence.basis()).sharePercent())
        .isCloseTo(90.0, within(1e-9));
  }

  @Test
  void sharesInTimeWhereNotEverybodyHasAPartition() {
    ClusterSnapshot busy =
        Clusters.cluster(
            gpu(
                "gpu-a",
                tenant("t/a", 60, 1.15, partition("alexnet", 4, 20)),
                tenant("t/r", 20, 1.15, partition("resnet50", 4, 30))));
    SharingLimits lax = limits(100, 1.15);

    assertThat(Decisions.codes(decider.decide(busy, request(80, lax, null))))
        .contains("UtilizationExceeded");
    assertThat(Decisions.codes(decider.decide(busy, request(80, lax, partition("vgg19", 2, 60)))))
        .as("110 % of a GPU")
        .containsExactly("SharesExceeded");
    assertThat(
            Decisions.codes(
                decider.decide(busy, request(80, limits(80, 1.15), partition("vgg19", 2, 40)))))
        .as("a lower limit of utilization is one of shares")
        .containsExactly("SharesExceeded");
    assertThat(Decisions.codes(decider.decide(busy, request(80, lax, partition("vgg19", 64, 40)))))
        .as("a batch that was not profiled")
        .contains("UtilizationExceeded");
  }

  @Test
  void saysWhichSharesExceedTheGpu() {
    ClusterSnapshot busy =
        Clusters.cluster(gpu("gpu-a", tenant("t/v", 20, 1.15, partition("vgg19", 4, 82.5))));
    Decision refused =
        decider.decide(busy, request(20, limits(100, 1.15), partition("resnet50", 4, 30)));
    assertThat(Decisions.reasons(refused).getFirst().sentence())
        .endsWith(
            "MPS shares would sum to 112.5 % (tenants 82.5 % + this workload at least 30.0 %),"
                + " limit 100.0 %");
  }

  /** Two came beside a training job, which has ended; or a process that nothing explains runs. */
  @Test
  void grantsNoSharesBeyondTheGpuWhereUtilizationsDecide() {
    Tenant first = tenant("t/a", 10, 1.15, partition("alexnet", 4, 60));
    Tenant second = tenant("t/b", 10, 1.15, partition("alexnet", 4, 60));
    PlacementRequest.Share third = request(10, limits(100, 1.15), partition("alexnet", 4, 60));
    assertThat(
            Decisions.codes(decider.decide(Clusters.cluster(gpu("gpu-a", first, second)), third)))
        .containsExactly("SharesExceeded");

    GpuSnapshot busier =
        new GpuSnapshot(
            "gpu-a",
            "node-1",
            V100,
            MemorySize.ofGiB(16),
            Clusters.shared(first),
            Clusters.measured(2, 2),
            Utilization.ofPercent(40));
    assertThat(Decisions.codes(decider.decide(Clusters.cluster(busier), third)))
        .containsExactly("SharesExceeded");
    Prediction smaller =
        granted(
            Clusters.cluster(busier),
            inShares(limits(200, 1.5), 1.5, smaller(30, 1.4), smaller(40, 1.45)));
    assertThat(Objects.requireNonNull(smaller.partition()).share()).isEqualTo(Share.ofPercent(40));
  }

  /** A service in its share, with the slack that each smaller share leaves. */
  private static PlacementRequest.Share inShares(
      SharingLimits limits, double slack, ObjectivePrediction.SmallerShare... smaller) {
    Prediction prediction =
        Clusters.prediction(V100, Clusters.utilization(50), Clusters.memory(2))
            .withPartition(partition("resnet50", 8, 60))
            .withService(
                new ObjectivePrediction(
                        Duration.ofMillis(40), 400.0, 0.02, slack, 400, Share.ofPercent(60))
                    .withSmaller(List.of(smaller)));
    return new PlacementRequest.Share("t/new", Map.of(V100.id(), prediction), limits);
  }

  private static ObjectivePrediction.SmallerShare smaller(double percent, double slack) {
    return new ObjectivePrediction.SmallerShare(Share.ofPercent(percent), 1.1, 0.03, slack);
  }

  private Prediction granted(ClusterSnapshot snapshot, PlacementRequest request) {
    Decision.Admitted admitted = (Decision.Admitted) decider.decide(snapshot, request);
    return Objects.requireNonNull(admitted.grants().getFirst().prediction());
  }

  @Test
  void grantsTheLeastShareThatToleratesItsNeighbours() {
    ProfiledPartition vgg = partition("vgg19", 8, 50);
    double at40 = slowdown(List.of(vgg, partition("resnet50", 8, 40)), 1);
    double at50 = slowdown(List.of(vgg, partition("resnet50", 8, 50)), 1);
    assertThat(at40).isBetween(1.02, 1.15);
    ClusterSnapshot beside = Clusters.cluster(gpu("gpu-a", tenant("t/v", 70, 1.15, vgg)));
    SharingLimits limits = limits(100, 1.15);

    Prediction tight = granted(beside, inShares(limits, 1.15, smaller(40, 1.15), smaller(50, 1.2)));
    assertThat(Objects.requireNonNull(tight.partition()).share()).isEqualTo(Share.ofPercent(40));
    assertThat(Objects.requireNonNull(tight.service()).mostSlowdown()).isEqualTo(1.15);
    assertThat(tight.utilization().upper().percent()).isCloseTo(55, within(1e-9));

    Prediction wider =
        granted(beside, inShares(limits, 1.15, smaller(40, 1.0), smaller(50, at50 + 0.01)));
    assertThat(Objects.requireNonNull(wider.service()).share()).isEqualTo(Share.ofPercent(50));

    Decision refused =
        decider.decide(beside, inShares(limits, 1.15, smaller(40, 1.0), smaller(50, 1.0)));
    assertThat(Decisions.codes(refused)).containsExactly("InterferenceExceeded");
  }

  /** The more of a GPU is free, the more neighbours may come. */
  @Test
  void leavesSlackForTheNeighboursThatMayStillCome() {
    ClusterSnapshot free = Clusters.cluster(gpu("gpu-a"));
    SharingLimits limits = limits(100, 1.2);

    Prediction chosen =
        granted(
            free, inShares(limits, 1.2, smaller(30, 1.1), smaller(40, 1.13), smaller(50, 1.16)));

    assertThat(Objects.requireNonNull(chosen.service()).share())
        .as("slack 0.14 of 0.2 at 30 %, 0.12 at 40 %")
        .isEqualTo(Share.ofPercent(40));
  }

  @Test
  void goesToTheGpuWithTheLargestSharesThatWillDo() {
    ProfiledPartition vgg = partition("vgg19", 4, 30);
    ClusterSnapshot cluster =
        Clusters.cluster(
            gpu("gpu-a", tenant("t/a", 60, 1.15, null)),
            gpu("gpu-b", tenant("t/b", 90, 1.15, vgg)),
            gpu("gpu-c", tenant("t/c", 20, 1.15, partition("vgg19", 4, 50))),
            gpu("gpu-d", tenant("t/d", 20, 1.15, partition("vgg19", 4, 70))));
    PlacementRequest request = inShares(limits(100, 1.15), 1.15, smaller(40, 1.12));

    Decision.Admitted admitted = (Decision.Admitted) decider.decide(cluster, request);

    assertThat(admitted.grants().getFirst().gpuUuid())
        .as("70 + 40 % is too much, and utilization decides nothing among partitions")
        .isEqualTo("gpu-c");
  }

  /** What each suffers is known: one with little slack does not bind all. */
  @Test
  void holdsEachServiceAgainstItsOwnLimit() {
    ProfiledPartition resnet = partition("resnet50", 8, 40);
    ProfiledPartition vgg = partition("vgg19", 8, 50);
    double ofTenant = slowdown(List.of(resnet, vgg), 0);
    double ofNewcomer = slowdown(List.of(resnet, vgg), 1);
    double between = (ofTenant + ofNewcomer) / 2;
    assertThat(ofTenant).isGreaterThan(ofNewcomer + 0.005);

    ClusterSnapshot lax = Clusters.cluster(gpu("gpu-a", tenant("t/r", 70, 1.15, resnet)));
    assertThat(decider.decide(lax, request(70, limits(100, between), vgg)))
        .isInstanceOf(Decision.Admitted.class);

    ClusterSnapshot strict = Clusters.cluster(gpu("gpu-a", tenant("t/r", 70, between, resnet)));
    Decision refused = decider.decide(strict, request(70, limits(100, 1.15), vgg));
    assertThat(Decisions.codes(refused)).containsExactly("InterferenceExceeded");
    Reason.InterferenceExceeded why =
        (Reason.InterferenceExceeded) Decisions.reasons(refused).getFirst();
    assertThat(why.limit()).isEqualTo(Slowdown.ofRatio(between));
    assertThat(why.predicted().ratio()).isCloseTo(ofTenant, within(0.01));
  }

  /** Standing grants are judged as they were decided. */
  @Test
  void standsWithinItsOwnLimitAndTheSharesOfTheGpu() {
    ProfiledPartition resnet = partition("resnet50", 8, 40);
    ProfiledPartition vgg = partition("vgg19", 8, 50);
    double ofResnet = slowdown(List.of(resnet, vgg), 0);
    double ofVgg = slowdown(List.of(resnet, vgg), 1);
    double between = (ofResnet + ofVgg) / 2;

    List<Tenant> kept = List.of(tenant("t/r", 70, 1.15, resnet), tenant("t/v", 70, between, vgg));
    List<Tenant> broken = List.of(tenant("t/r", 70, between, resnet), tenant("t/v", 70, 1.15, vgg));
    assertThat(decider.standing(V100.id(), kept).isExceeded()).isFalse();
    assertThat(decider.standing(V100.id(), broken).isExceeded()).isTrue();
    assertThat(decider.standing(V100.id(), broken).limit()).isEqualTo(Slowdown.ofRatio(between));
    List<Tenant> inTime = List.of(kept.getFirst(), tenant("t/v", 70, between, null));
    assertThat(decider.standing(V100.id(), inTime).isExceeded())
        .as("140 % of a whole GPU")
        .isTrue();
    assertThat(decider.standing(V100.id(), kept.subList(0, 1)).isExceeded()).isFalse();

    SharingLimits limits = limits(100, 1.15);
    assertThat(PartitionCheck.isPartitioned(List.of(resnet, vgg), limits)).isTrue();
    assertThat(PartitionCheck.isPartitioned(List.of(resnet, vgg), limits(80, 1.15))).isFalse();
    assertThat(PartitionCheck.isPartitioned(List.of(resnet, vgg, vgg), limits)).isFalse();
    List<@Nullable ProfiledPartition> one = new ArrayList<>(List.of(resnet));
    one.add(null);
    assertThat(PartitionCheck.isPartitioned(one, limits)).isFalse();
  }

  /** Two servers slow each other down already; what the job adds comes on top of that. */
  @Test
  void keepsTheLimitsOfServersThatATrainingJobJoins() {
    ProfiledPartition resnet = partition("resnet50", 8, 40);
    ProfiledPartition vgg = partition("vgg19", 8, 50);
    SharingLimits jobs = limits(100, 1.3);
    ClusterSnapshot beside =
        Clusters.cluster(gpu("gpu-a", tenant("t/r", 30, 1.3, resnet), tenant("t/v", 10, 1.3, vgg)));
    Evidence.WithinLimits joined =
        Decisions.evidence(decider.decide(beside, request(40, jobs, null)));
    double ofJob = joined.slowdown().ratio();
    assertThat(ofJob).isGreaterThan(1.02);

    assertThat(slowdown(List.of(resnet, vgg), 0)).isGreaterThan(1.02);
    ClusterSnapshot limited =
        Clusters.cluster(
            gpu("gpu-a", tenant("t/r", 30, ofJob, resnet), tenant("t/v", 10, 1.3, vgg)));
    assertThat(Decisions.codes(decider.decide(limited, request(40, jobs, null))))
        .containsExactly("InterferenceExceeded");
    ClusterSnapshot alone =
        Clusters.cluster(
            gpu("gpu-a", tenant("t/r", 30, ofJob, resnet), tenant("t/v", 10, 1.3, null)));
    assertThat(decider.decide(alone, request(40, jobs, null)))
        .as("the same utilizations, no partitions beside each other")
        .isInstanceOf(Decision.Admitted.class);
  }

  @Test
  void decidesWithTheIndexAsIfItHadLookedAtEveryGpu() {
    ExhaustiveDecider exhaustive = new ExhaustiveDecider(interference);
    Map<Class<?>, Integer> kinds = new HashMap<>();
    int partitioned = 0;
    for (int seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      GpuSnapshot[] gpus = new GpuSnapshot[random.nextInt(1, 8)];
      for (int i = 0; i < gpus.length; i++) {
        gpus[i] = drawn("gpu-" + i, random);
      }
      ClusterSnapshot snapshot = Clusters.cluster(gpus);
      if (random.nextBoolean()) {
        decider.prepare(snapshot);
      }
      PlacementRequest request = drawn(random, "t/new");

      Decision decision = decider.decide(snapshot, request);

      assertThat(decision).as("seed " + seed).isEqualTo(exhaustive.decide(snapshot, request));
      kinds.merge(decision.getClass(), 1, Integer::sum);
      partitioned +=
          decision instanceof Decision.Admitted(_, Evidence.WithinLimits within)
                  && within.basis() != null
              ? 1
              : 0;

      ClusterSnapshot changed =
          snapshot.with(List.of(drawn("gpu-" + random.nextInt(gpus.length), random)));
      PlacementRequest next = drawn(random, "t/next");
      assertThat(decider.decide(changed, next))
          .as("seed " + seed + ", changed")
          .isEqualTo(exhaustive.decide(changed, next));
    }
    assertThat(kinds).hasSize(3).allSatisfy((_, times) -> assertThat(times).isGreaterThan(50));
    assertThat(partitioned).isGreaterThan(200);
  }

  private static GpuSnapshot drawn(String uuid, Random random) {
    List<Tenant> tenants = new ArrayList<>();
    for (int k = random.nextInt(4); k > 0; k--) {
      double limit = 1 + 0.01 * random.nextInt(1, 20);
      tenants.add(tenant("t/" + k, 10 * random.nextInt(1, 10), limit, drawn(random)));
    }
    return gpu(uuid, tenants.toArray(Tenant[]::new));
  }

  private static PlacementRequest drawn(Random random, String name) {
    PlacementRequest.Share request =
        random.nextInt(3) == 0
            ? inShares(
                limits(100, 1.2),
                1.15,
                smaller(20 + random.nextInt(10), 1 + 0.01 * random.nextInt(10)),
                smaller(40, 1.1))
            : request(
                10 * random.nextInt(1, 10),
                limits(random.nextInt(4) == 0 ? 70 : 100, 1 + 0.01 * random.nextInt(1, 20)),
                drawn(random));
    return new PlacementRequest.Share(
        name, request.predictions(), request.limits(), request.trust());
  }

  private static @Nullable ProfiledPartition drawn(Random random) {
    return random.nextInt(5) == 0
        ? null
        : partition(
            MODELS.get(random.nextInt(MODELS.size())),
            random.nextInt(1, 33),
            10 * random.nextInt(1, 8));
  }
}
