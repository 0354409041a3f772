package dev.cotenant.admission.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.admission.FakePredictor;
import dev.cotenant.admission.TestClusters;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.Reason;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LedgerTest {
  private static final DeviceId A100 = new DeviceId("a100-40gb");
  private static final PodIdentity POD = new PodIdentity("team-a", "train", null);

  private final SharingDecider decider = new SharingDecider(FallbackInterferenceModel.builtIn());
  private final AtomicLong seconds = new AtomicLong();
  private final Ledger ledger =
      new Ledger(() -> TestClusters.NOW.plusSeconds(seconds.get()), Duration.ofMinutes(2));

  @Test
  void countsAGrantAsATenantSinceItWasGranted() {
    seconds.set(7);

    grantShare("t1", POD, 40);

    GpuSnapshot gpu = gpu("GPU-a0");
    Tenancy.Shared shared = (Tenancy.Shared) gpu.tenancy();
    assertThat(shared.tenants()).hasSize(1);
    assertThat(shared.tenants().getFirst().name()).isEqualTo("team-a/train");
    assertThat(shared.tenants().getFirst().since()).isEqualTo(TestClusters.NOW.plusSeconds(7));
    assertThat(shared.tenants().getFirst().slowdownLimit()).isEqualTo(Slowdown.ofRatio(1.15));
  }

  @Test
  void countsAWholeGrantAsExclusive() {
    PlacementRequest whole =
        new PlacementRequest.Whole("w", 2, new ExclusiveCause.SeveralGpus(), Map.of());

    ledger.decideAndAllocate(capacityRequest("t1", POD), cluster(), c -> decider.decide(c, whole));

    assertThat(gpu("GPU-a0").tenancy()).isEqualTo(new Tenancy.Exclusive("team-a/train"));
    assertThat(gpu("GPU-a1").tenancy()).isEqualTo(new Tenancy.Exclusive("team-a/train"));
    assertThat(gpu("GPU-a2").tenancy()).isEqualTo(new Tenancy.Shared(List.of()));
  }

  @Test
  void recordsNothingOfWhatIsNotAdmitted() {
    Decision held = new Decision.Held(List.of(new Reason.NoMetrics("GPU-a0", "gpu-1")));

    assertThat(ledger.decideAndAllocate(capacityRequest("t1", POD), cluster(), _ -> held))
        .isEqualTo(held);

    assertThat(ledger.entries()).isEmpty();
  }

  @Test
  void letsAHeldGrantLapseButNotABoundOne() {
    grantShare("t1", POD, 40);
    grantShare("t2", new PodIdentity("team-a", "other", null), 20);
    assertThat(bind("t2", new PodIdentity("team-a", "other", null), "uid-2")).isTrue();

    seconds.set(119);
    assertThat(ledger.entries()).hasSize(2);
    seconds.set(120);

    assertThat(ledger.entries())
        .extracting(e -> e.capacityRequest().admissionId())
        .containsExactly("t2");
    assertThat(bind("t1", POD, "uid-1")).isFalse();
  }

  @Test
  void releasesNothingThatHasExpired() {
    grantShare("t1", POD, 40);

    seconds.set(120);

    assertThat(ledger.release("t1")).isFalse();
  }

  @Test
  void bindsAGrantToOnePodOnly() {
    PodIdentity early = new PodIdentity("team-a", null, "tune-");
    PodIdentity first = new PodIdentity("team-a", "tune-1", "tune-");
    grantShare("t1", early, 40);

    assertThat(bind("t1", new PodIdentity("team-b", "tune-1", "tune-"), "u")).isFalse();
    assertThat(bind("t1", first, "uid-1")).isTrue();
    assertThat(bind("t1", first, "uid-1")).isTrue();
    assertThat(bind("t1", new PodIdentity("team-a", "tune-2", "tune-"), "uid-2")).isFalse();
    assertThat(bind("t9", first, "uid-1")).isFalse();
    assertThat(ledger.find("t1").orElseThrow().capacityRequest().pod()).isEqualTo(first);
  }

  @Test
  void releasesWhatIsHeldOnlyForThePodThatItWaitsFor() {
    grantShare("t1", POD, 40);

    assertThat(ledger.releaseAllocated("t1", new PodIdentity("team-a", "thief", null))).isFalse();
    assertThat(ledger.releaseAllocated("t1", POD)).isTrue();
    assertThat(ledger.releaseAllocated("t1", POD)).isFalse();
    assertThat(ledger.entries()).isEmpty();
  }

  @Test
  void releasesWhatIsBoundWhenThatPodEndsAndNoOther() {
    grantShare("t1", POD, 20);
    grantShare("t2", new PodIdentity("team-a", "other", null), 20);
    bind("t1", POD, "uid-1");
    bind("t2", new PodIdentity("team-a", "other", null), "uid-2");

    assertThat(ledger.releaseAllocated("t1", POD)).isFalse();
    assertThat(ledger.releaseEnded(new PodIdentity("team-a", "thief", null), "uid-1")).isFalse();
    assertThat(ledger.releaseEnded(POD, "uid-1")).isTrue();
    assertThat(ledger.releaseEnded(POD, "uid-1")).isFalse();

    assertThat(ledger.entries())
        .extracting(e -> e.capacityRequest().admissionId())
        .containsExactly("t2");
  }

  /**
   * The name was taken, so uid-2 never came to be. Bound at 100 s, it may have been on its way
   * until 220 s; what ends after that under the name proves that it is not.
   */
  @Test
  void releasesWithAPodWhatWasBoundToItsNameLongAgo() {
    grantShare("t1", POD, 20);
    bind("t1", POD, "uid-1");
    seconds.set(100);
    grantShare("t2", POD, 20);
    bind("t2", POD, "uid-2");

    seconds.set(220);
    assertThat(ledger.releaseEnded(POD, "uid-1")).isTrue();
    assertThat(ledger.entries())
        .extracting(e -> e.capacityRequest().admissionId())
        .containsExactly("t2");
    seconds.set(221);
    assertThat(ledger.releaseEnded(POD, "uid-3")).isTrue();
    assertThat(ledger.entries()).isEmpty();
  }

  @Test
  void refusesAnAdmissionIdTwice() {
    grantShare("t1", POD, 20);

    assertThatThrownBy(() -> grantShare("t1", POD, 20))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("t1");
  }

  /** Threads admit, confirm, delete and let time pass at random; no limit is ever passed. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void neverOverCommitsWhateverTheInterleaving(long seed)
      throws InterruptedException, ExecutionException {
    GrantVerifier verifier = new GrantVerifier(SharingLimits.DEFAULT);
    AtomicInteger ids = new AtomicInteger();
    AtomicInteger granted = new AtomicInteger();
    ConcurrentLinkedQueue<String> mine = new ConcurrentLinkedQueue<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      List<Future<?>> workers =
          IntStream.range(0, 8)
              .<Future<?>>mapToObj(worker ->
                  threads.submit(() -> {
                    Random random = new Random(seed * 100 + worker);
                    for (int i = 0; i < 300; i++) {
                      act(random, ids, granted, mine);
                      verifier.verify(ledger.overlay(cluster()));
                    }
                  }))
              .toList();
      for (Future<?> worker : workers) {
        worker.get();
      }
    }
    assertThat(granted.get()).isGreaterThan(100);
  }

  /* The overlay is kept grant by grant while the snapshot is the same; here it is made from nothing. */
  @Test
  void overlaysOneSnapshotGrantByGrantAsItWouldAllAtOnce() {
    Random random = new Random(3);
    ClusterSnapshot kept = cluster();
    int mostGrants = 0;
    for (int step = 0; step < 400; step++) {
      String admissionId = "t" + random.nextInt(30);
      PodIdentity pod = new PodIdentity("team-a", "pod-" + admissionId, null);
      seconds.addAndGet(random.nextInt(8));
      switch (random.nextInt(5)) {
        case 0 -> ledger.releaseAllocated(admissionId, pod);
        case 1 -> bind(admissionId, pod, "uid-" + admissionId);
        case 2 -> ledger.releaseEnded(pod, "uid-" + admissionId);
        default -> {
          if (ledger.find(admissionId).isEmpty()) {
            PlacementRequest requested = random.nextInt(5) == 0 ? oneWhole() : oneShare(pod, 10);
            ledger.decideAndAllocate(
                capacityRequest(admissionId, pod), kept, c -> decider.decide(c, requested));
          }
        }
      }
      mostGrants = Math.max(mostGrants, ledger.entries().size());
      assertThat(ledger.overlay(kept)).isEqualTo(allAtOnce(kept));
    }
    assertThat(mostGrants).isGreaterThan(4);
  }

  private ClusterSnapshot allAtOnce(ClusterSnapshot snapshot) {
    List<GpuSnapshot> gpus = new ArrayList<>();
    for (GpuSnapshot gpu : snapshot.gpus()) {
      Tenancy tenancy = gpu.tenancy();
      for (LedgerEntry entry : ledger.entries()) {
        for (Grant grant : entry.admitted().grants()) {
          tenancy = grant.gpuUuid().equals(gpu.uuid()) ? entry.occupant().addTo(tenancy) : tenancy;
        }
      }
      gpus.add(gpu.withTenancy(tenancy));
    }
    return new ClusterSnapshot(snapshot.takenAt(), gpus);
  }

  private void act(
      Random random, AtomicInteger ids, AtomicInteger granted, ConcurrentLinkedQueue<String> mine) {
    switch (random.nextInt(6)) {
      case 0, 1, 2 -> {
        String admissionId = "t" + ids.incrementAndGet();
        PodIdentity pod = new PodIdentity("team-a", admissionId, null);
        Decision decision =
            random.nextInt(5) == 0
                ? ledger.decideAndAllocate(
                    capacityRequest(admissionId, pod),
                    cluster(),
                    c -> decider.decide(c, oneWhole()))
                : grantShare(admissionId, pod, 10 + random.nextInt(60));
        if (decision instanceof Decision.Admitted) {
          granted.incrementAndGet();
          mine.add(admissionId);
        }
      }
      case 3 -> {
        String admissionId = mine.peek();
        if (admissionId != null) {
          bind(admissionId, new PodIdentity("team-a", admissionId, null), "uid-" + admissionId);
        }
      }
      case 4 -> {
        String admissionId = mine.poll();
        if (admissionId != null) {
          PodIdentity pod = new PodIdentity("team-a", admissionId, null);
          ledger.releaseAllocated(admissionId, pod);
          ledger.releaseEnded(pod, "uid-" + admissionId);
        }
      }
      default -> seconds.addAndGet(random.nextInt(3));
    }
  }

  private static PlacementRequest oneWhole() {
    return new PlacementRequest.Whole("w", 1, new ExclusiveCause.ModelUnknown(null), Map.of());
  }

  private Decision grantShare(String admissionId, PodIdentity pod, double utilizationPercent) {
    PlacementRequest share = oneShare(pod, utilizationPercent);
    return ledger.decideAndAllocate(
        capacityRequest(admissionId, pod), cluster(), c -> decider.decide(c, share));
  }

  private static PlacementRequest oneShare(PodIdentity pod, double utilizationPercent) {
    Prediction prediction = FakePredictor.of(utilizationPercent, MemorySize.ofGiB(9), A100);
    return new PlacementRequest.Share(
        pod.toString(), Map.of(A100, prediction), SharingLimits.DEFAULT);
  }

  private static CapacityRequest capacityRequest(String admissionId, PodIdentity pod) {
    return new CapacityRequest(admissionId, requested(pod, null));
  }

  private boolean bind(String admissionId, PodIdentity pod, String uid) {
    return ledger.bind(admissionId, requested(pod, "gpu-1"), uid) instanceof Ledger.Confirmed;
  }

  private static Colocatable requested(PodIdentity pod, @Nullable String node) {
    return new Colocatable(
        pod,
        new GpuRequest(GpuDialect.NVIDIA, "main", 1, null, null),
        new WorkloadAnnotations(
            "resnet50", 8, RunSettings.DEFAULT, null, null, null, null, List.of()),
        new NodeConstraints(node, List.of()));
  }

  private GpuSnapshot gpu(String uuid) {
    return ledger.overlay(cluster()).gpus().stream()
        .filter(gpu -> gpu.uuid().equals(uuid))
        .findFirst()
        .orElseThrow();
  }

  private static ClusterSnapshot cluster() {
    return TestClusters.empty();
  }

  @Test
  void refusesAHoldThatIsNone() {
    assertThatThrownBy(() -> new Ledger(Instant::now, Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
