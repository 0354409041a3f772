package dev.cotenant.service.chargeback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.admission.cluster.Footprint;
import dev.cotenant.admission.cluster.NodeRequirements;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.gate.GateView;
import dev.cotenant.admission.gate.GateView.Holding;
import dev.cotenant.admission.ledger.GrantState;
import dev.cotenant.admission.pod.DeclaredMemory;
import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.admission.pod.GpuRequest;
import dev.cotenant.admission.pod.NodeConstraints;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.service.chargeback.GpuShare.Part;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** GPUs of 40 GiB. */
class ChargebackTest {
  private static final Instant NOW = Instant.parse("2026-11-24T12:00:00Z");

  private final List<GpuSnapshot> gpus = new ArrayList<>();
  private final Map<PodIdentity, Holding> granted = new HashMap<>();

  private static MemoryObservation used(double gib) {
    MemorySize size = MemorySize.ofBytes((long) (gib * (1L << 30)));
    return new MemoryObservation.Measured(
        size, size, Duration.ofSeconds(10), Duration.ofMinutes(10), List.of());
  }

  private void gpu(String uuid, Tenancy tenancy, MemoryObservation memory) {
    gpus.add(
        new GpuSnapshot(
            uuid,
            "node",
            DeviceCatalogue.builtIn().require("a100-40gb"),
            MemorySize.ofGiB(40),
            tenancy,
            memory));
  }

  private static Tenant tenant(String name, double gib) {
    MemorySize bound = MemorySize.ofBytes((long) (gib * (1L << 30)));
    return new Tenant(
        name,
        new UtilizationEstimate(
            Utilization.IDLE, Utilization.IDLE, Utilization.FULL, Coverage.of(0.9)),
        new MemoryEstimate(bound, MemorySize.ZERO, bound, Coverage.of(0.9)),
        Slowdown.ofRatio(2),
        NOW);
  }

  private static Tenancy shared(Tenant... tenants) {
    return new Tenancy.Shared(List.of(tenants));
  }

  /** A granted pod that states its memory. */
  private void states(String namespace, String name, @Nullable DeclaredMemory memory) {
    PodIdentity pod = new PodIdentity(namespace, name, null);
    WatchedPod watched =
        new WatchedPod(
            name,
            "1",
            pod,
            new Colocatable(
                pod,
                new GpuRequest(GpuDialect.HAMI, "main", 1, memory, null),
                new WorkloadAnnotations(
                    "m", 1, RunSettings.DEFAULT, null, null, null, null, List.of(), null, null),
                new NodeConstraints(null, List.of())),
            Map.of(),
            new WatchedPod.Scheduling(
                List.of(),
                "node",
                NodeRequirements.NONE,
                0,
                false,
                WatchedPod.Scheduling.DEFAULT_SCHEDULER),
            new WatchedPod.Life(NOW, NOW, WatchedPod.Phase.RUNNING, false, false, null),
            true,
            Footprint.NONE);
    granted.put(
        pod,
        new Holding(
            watched,
            GrantState.OBSERVED,
            new Decision.Admitted(
                List.of(new Grant("GPU-1", "node", null)), new Evidence.Recorded("")),
            null));
  }

  private GateView view() {
    return new GateView(
        1, NOW, List.of(), granted, new ClusterSnapshot(NOW, gpus), GateView.Health.GOOD);
  }

  /** The share of a pod and part, in percent. */
  private double percent(String pod, Part part) {
    return GpuShares.of(view()).stream()
        .filter(share -> share.pod().equals(pod) && share.part() == part)
        .mapToDouble(share -> 100 * share.ratio())
        .sum();
  }

  @Test
  void aTenantHasWhatItUsesWhatItMayUseAndWhatItRequests() {
    gpu("GPU-1", shared(tenant("team-a/train", 10)), used(4));
    states("team-a", "train", new DeclaredMemory.Amount(MemorySize.ofGiB(16)));

    assertThat(percent("train", Part.USED)).isCloseTo(10, within(1e-9));
    assertThat(percent("train", Part.BOUNDED)).isCloseTo(15, within(1e-9));
    assertThat(percent("train", Part.REQUESTED)).isCloseTo(15, within(1e-9));
    assertThat(percent("", Part.IDLE)).isCloseTo(60, within(1e-9));
  }

  @Test
  void tenantsShareWhatIsUsedByTheirBounds() {
    gpu("GPU-1", shared(tenant("team-a/one", 15), tenant("team-b/two", 5)), used(8));

    assertThat(percent("one", Part.USED)).isCloseTo(15, within(1e-9));
    assertThat(percent("two", Part.USED)).isCloseTo(5, within(1e-9));
    assertThat(percent("", Part.IDLE)).isCloseTo(50, within(1e-9));
  }

  @Test
  void aWholeGpuIsItsHolders() {
    gpu("GPU-1", new Tenancy.Exclusive("team-a/big"), used(10));
    gpu(
        "GPU-2",
        new Tenancy.Exclusive("ResourceClaim team-a/mine"),
        new MemoryObservation.Unmeasured());

    assertThat(percent("big", Part.USED)).isCloseTo(25, within(1e-9));
    assertThat(percent("big", Part.REQUESTED)).isCloseTo(75, within(1e-9));
    assertThat(percent("mine", Part.REQUESTED)).isCloseTo(100, within(1e-9));
    assertThat(percent("", Part.IDLE)).isZero();
    assertThat(GpuShares.of(view())).extracting(GpuShare::namespace).containsOnly("team-a");
  }

  @Test
  void whatNobodyIsKnownToUseHasNoPod() {
    gpu("GPU-1", shared(), used(10));
    gpu("GPU-2", new Tenancy.Mig(), used(20));

    assertThat(percent("", Part.USED)).isCloseTo(75, within(1e-9));
    assertThat(percent("", Part.IDLE)).isCloseTo(125, within(1e-9));
  }

  /** Whatever tenants use, may use and request, and however old the samples are. */
  @Test
  void thePartsOfEveryGpuAddUpToOne() {
    SplittableRandom random = new SplittableRandom(27);
    for (int i = 0; i < 2_000; i++) {
      List<Tenant> tenants = new ArrayList<>();
      for (int t = random.nextInt(5); t > 0; t--) {
        String name = "p" + i + "-" + t;
        tenants.add(tenant("team/" + name, 25 * random.nextDouble()));
        if (random.nextBoolean()) {
          states(
              "team",
              name,
              random.nextBoolean()
                  ? new DeclaredMemory.Amount(MemorySize.ofGiB(1 + random.nextInt(40)))
                  : new DeclaredMemory.FractionOfGpu(0.01 + 0.9 * random.nextDouble()));
        }
      }
      gpu(
          "GPU-" + i,
          tenants.size() == 1 && random.nextBoolean()
              ? new Tenancy.Exclusive(tenants.getFirst().name())
              : new Tenancy.Shared(tenants),
          random.nextInt(4) == 0
              ? new MemoryObservation.Stale(Duration.ofHours(1), Duration.ofMinutes(2))
              : used(42 * random.nextDouble()));
    }

    Map<String, Double> sums =
        GpuShares.of(view()).stream()
            .collect(
                Collectors.groupingBy(GpuShare::gpu, Collectors.summingDouble(GpuShare::ratio)));

    assertThat(sums).hasSize(2_000);
    assertThat(sums.values()).allSatisfy(sum -> assertThat(sum).isCloseTo(1, within(1e-9)));
  }

  @Test
  void aPodThatIsGoneHasNoMetrics() {
    Chargeback chargeback = new Chargeback(this::view);
    gpu("GPU-1", shared(tenant("team-a/train", 10)), used(4));
    String before = chargeback.text(null);
    gpus.clear();
    gpu("GPU-1", shared(), used(0));

    assertThat(before)
        .contains(
            "# TYPE cotenant_gpu_share_ratio gauge",
            "cotenant_gpu_share_ratio{gpu=\"GPU-1\",namespace=\"team-a\",node=\"node\","
                + "part=\"used\",pod=\"train\",product=\"a100-40gb\"} 0.1\n",
            "cotenant_gpu_usable_memory_bytes{gpu=\"GPU-1\"");
    assertThat(chargeback.text(null)).doesNotContain("train").contains("part=\"idle\"");
  }

  @Test
  void aNamespaceSeesItsOwnPods() {
    gpu("GPU-1", shared(tenant("team-a/one", 15), tenant("team-b/two", 5)), used(8));

    assertThat(new Chargeback(this::view).text("team-b"))
        .contains("pod=\"two\"")
        .doesNotContain("team-a", "idle", "usable_memory_bytes{");
  }

  @Test
  void whoDoesNotLeadShowsNothing() {
    assertThat(new Chargeback(() -> GateView.NOT_LEADING).text(null)).doesNotContain("{");
  }
}
