package dev.cotenant.placement.fleet;

import static dev.cotenant.placement.fleet.RandomFleets.V100;
import static dev.cotenant.placement.fleet.RandomFleets.service;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import java.util.List;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PlacementVerifierTest {
  private static final Service VGG = service("W7", "vgg19", 20, 300);
  private static final Service RESNET = service("W4", "resnet50", 20, 400);
  private static final Fleet FLEET = fleet(2, VGG, RESNET);
  private static final Partition VGG_PART =
      Partition.of(Share.ofPercent(60), new Turn("W7", 3, 300));
  private static final Partition RESNET_PART =
      Partition.of(Share.ofPercent(32.5), new Turn("W4", 4, 400));

  private static Fleet fleet(int gpus, Service... services) {
    return new Fleet(
        List.of(RandomFleets.v100(gpus)),
        List.of(services),
        List.of(),
        List.of(),
        Arrivals.CONSTANT);
  }

  private static Verification verify(Fleet fleet, List<Unplaced> unplaced, PlannedGpu... gpus) {
    return new PlacementVerifier(fleet).ofServices(FleetPlan.of("x", List.of(gpus), unplaced));
  }

  private static PlannedGpu gpu(Partition... partitions) {
    return PlannedGpu.serving(V100, List.of(partitions));
  }

  private static Partition part(double percent, String name, int batch, double rate) {
    return Partition.of(Share.ofPercent(percent), new Turn(name, batch, rate));
  }

  @Test
  void findsNothingInAPlanOfTheAuthors() {
    Verification verification = verify(FLEET, List.of(), gpu(VGG_PART, RESNET_PART));

    assertThat(verification.faults()).isEmpty();
    assertThat(verification.violated()).isEmpty();
  }

  @Test
  void countsServicesThatMiss() {
    Verification verification = verify(FLEET, List.of(), gpu(part(50, "W7", 3, 300), RESNET_PART));

    assertThat(verification.faults()).isEmpty();
    assertThat(verification.violated()).containsExactly("W7");
    assertThat(verification.missed()).isEqualTo(1);
  }

  @Test
  void namesSharesBeyondTheWhole() {
    Verification verification = verify(FLEET, List.of(), gpu(part(70, "W7", 3, 300), RESNET_PART));

    assertThat(verification.faults()).containsExactly(new PlanFault.SharesExceeded(0, 102.5));
  }

  @Test
  void namesABatchAndRateBelowTheirLeast() {
    Verification verification = verify(FLEET, List.of(), gpu(part(10, "W7", 0, 0), RESNET_PART));

    assertThat(verification.faults())
        .containsExactly(
            new PlanFault.BatchOutOfRange(0, "W7", 0),
            new PlanFault.RateNotCovered("W7", 0, 300),
            new PlanFault.RateNotCovered("W7", 0, 300));
  }

  @Test
  void namesMemoryBeyondTheDevice() {
    Service large = new Service("W7", 20, 300, MemorySize.ofGiB(9), VGG.profiles());
    Service other = new Service("W4", 20, 400, MemorySize.ofGiB(8), RESNET.profiles());

    Verification verification =
        verify(fleet(2, large, other), List.of(), gpu(VGG_PART, RESNET_PART));

    assertThat(verification.faults())
        .containsExactly(
            new PlanFault.MemoryExceeded(0, MemorySize.ofGiB(17), MemorySize.ofGiB(16)));
  }

  /** W7 at batch 3 of 1 to 32: 7 + 2/31 · 8 GiB, rounded up to a byte. */
  @Test
  void countsMemoryAtThePlannedBatch() {
    TreeMap<Integer, MemorySize> points = new TreeMap<>();
    points.put(1, MemorySize.ofGiB(7));
    points.put(32, MemorySize.ofGiB(15));
    Service large = VGG.with(new MemoryByBatch(points));
    Service fits = RESNET.holding(MemorySize.ofGiB(8));
    Service isTooLarge = RESNET.holding(MemorySize.ofGiB(9));

    assertThat(verify(fleet(2, large, fits), List.of(), gpu(VGG_PART, RESNET_PART)).faults())
        .isEmpty();
    assertThat(verify(fleet(2, large, isTooLarge), List.of(), gpu(VGG_PART, RESNET_PART)).faults())
        .containsExactly(
            new PlanFault.MemoryExceeded(
                0, MemorySize.ofGiB(9).plus(large.memoryAt(3)), MemorySize.ofGiB(16)));
  }

  @Test
  void namesMoreGpusThanThereAreAndEmptyOnes() {
    Verification verification =
        verify(fleet(2, VGG, RESNET), List.of(), gpu(VGG_PART), gpu(RESNET_PART), gpu());

    assertThat(verification.faults())
        .containsExactly(new PlanFault.CountExceeded(V100, 3, 2), new PlanFault.EmptyGpu(2));
  }

  @Test
  void namesWhatTheFleetDoesNotHave() {
    PlannedGpu other = PlannedGpu.serving("t4", List.of(part(10, "who", 1, 1)));

    Verification verification = verify(FLEET, List.of(), gpu(VGG_PART, RESNET_PART), other);

    assertThat(verification.faults())
        .containsExactly(new PlanFault.UnknownDevice("t4"), new PlanFault.UnknownWorkload("who"));
  }

  @Test
  void namesRatesThatDoNotAddUpAndServicesThatAreMissing() {
    Verification verification = verify(FLEET, List.of(), gpu(part(60, "W7", 3, 299)));

    assertThat(verification.faults())
        .containsExactly(new PlanFault.RateNotCovered("W7", 299, 300), new PlanFault.Missing("W4"));
  }

  @Test
  void acceptsAServiceInTwoPlacesThatAddUp() {
    Verification verification =
        verify(
            FLEET,
            List.of(),
            gpu(part(40, "W7", 2, 150), RESNET_PART),
            gpu(part(40, "W7", 2, 150)));

    assertThat(verification.faults()).isEmpty();
  }

  @Test
  void namesServicesThatArePlacedAndUnplaced() {
    Unplaced vgg = new Unplaced("W7", List.of(new PlanReason.CountLimit(V100, 1)));

    Verification verification =
        verify(fleet(1, VGG, RESNET), List.of(vgg), gpu(VGG_PART, RESNET_PART));

    assertThat(verification.faults()).containsExactly(new PlanFault.PlacedAndUnplaced("W7"));
  }

  @Test
  void wantsOneReasonForEachKindOfDevice() {
    Verification verification =
        verify(FLEET, List.of(new Unplaced("W4", List.of())), gpu(VGG_PART));

    assertThat(verification.faults()).containsExactly(new PlanFault.ReasonsIncomplete("W4", 0, 1));
  }

  @Test
  void doesNotBelieveUntrueReasons() {
    List<PlanReason> lies =
        List.of(
            new PlanReason.NotProfiled(V100),
            new PlanReason.ObjectiveUnreachable(V100, 11, 10),
            new PlanReason.RateUnreachable(V100, 399, 400),
            new PlanReason.MemoryBeyondDevice(V100, MemorySize.ofGiB(20), MemorySize.ofGiB(16)),
            new PlanReason.CountLimit(V100, 2),
            new PlanReason.CountLimit("t4", 2),
            new PlanReason.PartsLimit(V100, 1, 2),
            new PlanReason.PartsLimit(V100, 2, 3));
    for (PlanReason lie : lies) {
      Verification verification =
          verify(FLEET, List.of(new Unplaced("W4", List.of(lie))), gpu(VGG_PART));

      assertThat(verification.faults()).containsExactly(new PlanFault.UntrueReason("W4", lie));
    }
  }

  /**
   * ResNet-50 alone on a whole V100 at b = 1: 1.9095 + (−0.0175 + 58.2645 − 0.0119) / 100.3449 +
   * 0.0738 + 0.0606 = 2.6245 ms.
   */
  @Test
  void believesAnObjectiveThatCannotBeReached() {
    Fleet fleet = fleet(1, VGG, service("W4", "resnet50", 5, 10));
    double least = 2.6244;
    PlannedGpu alone = gpu(part(100, "W4", 1, 10));
    double exact = new GpuEvaluation(fleet).of(alone).getFirst().getFirst().latencyMillis();
    assertThat(exact).isCloseTo(least, within(1e-3));
    Unplaced resnet =
        new Unplaced("W4", List.of(new PlanReason.ObjectiveUnreachable(V100, exact, 2.5)));

    assertThat(verify(fleet, List.of(resnet), gpu(VGG_PART)).faults()).isEmpty();
  }

  @Test
  void doesNotBelieveABoundBeyondThePlan() {
    FleetPlan plan =
        new FleetPlan(
            "x", List.of(gpu(VGG_PART, RESNET_PART)), List.of(), OptionalInt.of(2), List.of());

    assertThat(new PlacementVerifier(FLEET).ofServices(plan).faults())
        .containsExactly(new PlanFault.BoundBroken(1, 2));
  }
}
