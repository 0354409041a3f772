package dev.cotenant.admission.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.FakePredictor;
import dev.cotenant.admission.gate.GateBench;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.MemoryObservation;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.Grant;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.GpuProduct;
import dev.cotenant.domain.device.UnlistedProduct;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.interference.FallbackInterferenceModel;
import dev.cotenant.placement.SharingDecider;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** GPUs of a product that the catalogue does not list. */
class PodPlacementTest {
  private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");
  private static final Device A100 = DeviceCatalogue.builtIn().require("a100-40gb");
  private static final GpuProduct TITAN =
      new UnlistedProduct("NVIDIA TITAN RTX", MemorySize.ofMiB(23_028));

  private final PodPlacement placement =
      new PodPlacement(new SharingDecider(FallbackInterferenceModel.builtIn()));
  private final Colocatable pod =
      (Colocatable) new GateBench(1).pod("train", "resnet50", 1, 1).watched().request();
  private final PlacementRequest share =
      new PlacementRequest.Share(
          "team-a/train",
          Map.of(A100.id(), FakePredictor.of(40, MemorySize.ofGiB(3), A100.id())),
          SharingLimits.DEFAULT);

  private static GpuSnapshot gpu(String uuid, GpuProduct product, Tenancy tenancy) {
    return new GpuSnapshot(
        uuid,
        "n1",
        product,
        MemorySize.ofGiB(20),
        tenancy,
        new MemoryObservation.Measured(
            MemorySize.ZERO, MemorySize.ZERO, Duration.ZERO, Duration.ofMinutes(1), List.of()));
  }

  private Decision decide(GpuSnapshot... gpus) {
    return placement.decide(new ClusterSnapshot(NOW, List.of(gpus)), pod, share, null);
  }

  @Test
  void sharesAGpuOfAListedProductWhereThatFits() {
    Decision decision =
        decide(
            gpu("GPU-titan", TITAN, new Tenancy.Shared(List.of())),
            gpu("GPU-a100", A100, new Tenancy.Shared(List.of())));

    assertThat(((Decision.Admitted) decision).grants())
        .extracting(Grant::gpuUuid)
        .containsExactly("GPU-a100");
  }

  @Test
  void grantsAGpuOfAnUnlistedProductWhole() {
    Decision decision =
        decide(
            gpu("GPU-titan", TITAN, new Tenancy.Shared(List.of())),
            gpu("GPU-a100", A100, new Tenancy.Exclusive("team-b/other")));

    assertThat(decision)
        .isInstanceOfSatisfying(
            Decision.Admitted.class,
            admitted -> {
              assertThat(admitted.grants()).extracting(Grant::gpuUuid).containsExactly("GPU-titan");
              assertThat(admitted.evidence().sentence())
                  .isEqualTo("a whole GPU: the catalogue does not list its product");
            });
  }

  @Test
  void holdsWhereTheUnlistedGpuIsTaken() {
    Decision decision = decide(gpu("GPU-titan", TITAN, new Tenancy.Exclusive("team-b/other")));

    assertThat(decision).isInstanceOf(Decision.Held.class);
  }
}
