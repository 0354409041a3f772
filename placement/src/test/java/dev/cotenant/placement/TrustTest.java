package dev.cotenant.placement;

import static dev.cotenant.placement.Clusters.A100;
import static dev.cotenant.placement.Clusters.cluster;
import static dev.cotenant.placement.Clusters.covered;
import static dev.cotenant.placement.Clusters.forecast;
import static dev.cotenant.placement.Clusters.free;
import static dev.cotenant.placement.Clusters.gpu;
import static dev.cotenant.placement.Clusters.measured;
import static dev.cotenant.placement.Clusters.prediction;
import static dev.cotenant.placement.Clusters.shared;
import static dev.cotenant.placement.Clusters.tenant;
import static dev.cotenant.placement.Decisions.codes;
import static dev.cotenant.placement.Decisions.grantedTo;
import static dev.cotenant.placement.Decisions.lines;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.cluster.ClusterSnapshot;
import dev.cotenant.domain.cluster.GpuSnapshot;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.decision.BoundRisk;
import dev.cotenant.domain.decision.Decision;
import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.Evidence;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.decision.TrustDomain;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.interference.FallbackInterferenceModel;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Predictions whose bounds hold too rarely to share by them. */
class TrustTest {
  private static final Duration OLD = Duration.ofHours(2);
  private static final Device V100 = DeviceCatalogue.builtIn().require("v100-16gb");

  private final SharingDecider decider = new SharingDecider(FallbackInterferenceModel.builtIn());

  // Columns: coverage of the memory bounds (empty: assumed), least coverage, whether it shares.
  @ParameterizedTest
  @CsvSource({"0.9, 0.9, true", "0.89, 0.9, false", ", 0.9, false", ", 0, true", "0, 0.5, false"})
  void sharesOnlyByBoundsThatHoldOftenEnough(
      @Nullable Double coverage, double least, boolean shares) {
    PlacementRequest.Share requested =
        new PlacementRequest.Share(
            "team-a/new", Map.of(A100.id(), covered(prediction(20, 4), coverage)), wanting(least));

    Decision.Admitted admitted =
        (Decision.Admitted) decider.decide(cluster(free("GPU-a")), requested);

    assertThat(admitted.evidence() instanceof Evidence.WithinLimits).isEqualTo(shares);
  }

  /** One percent for a GPU of three tenants is a third of a percent for each: 99.67 of 100. */
  @ParameterizedTest
  @CsvSource({"0.997, true", "0.99, false", ", false"})
  void aBudgetOfMemoryIsPartedAmongTheTenantsThereMayBe(@Nullable Double coverage, boolean shares) {
    SharingLimits limits = SharingLimits.DEFAULT.withBounds(new BoundRisk(0.01, 1));
    PlacementRequest.Share requested =
        new PlacementRequest.Share(
            "team-a/new", Map.of(A100.id(), covered(prediction(20, 4), coverage)), limits);

    Decision.Admitted admitted =
        (Decision.Admitted) decider.decide(cluster(free("GPU-a")), requested);

    assertThat(admitted.evidence() instanceof Evidence.WithinLimits).isEqualTo(shares);
    assertThat(admitted.evidence().sentence())
        .contains(
            shares
                ? "risk of more memory at most 0.33 % of 1.0 %"
                : coverage == null ? "assumed" : "is 99 %, sharing requires 99.6 %");
  }

  /** The series says 10 GiB with some probability; what the tenant was granted is 30 GiB. */
  @Test
  void aBudgetOfMemoryCountsGrantsAndNoForecast() {
    GpuSnapshot used =
        gpu("GPU-a", shared(tenant("t/1", 10, 30, OLD)), measured(10, 10, forecast("pp", 10)));
    Prediction newcomer = covered(prediction(20, 10), 0.999);
    SharingLimits budget = SharingLimits.DEFAULT.withBounds(new BoundRisk(0.01, 1));

    assertThat(
            grantedTo(
                decider.decide(
                    cluster(used),
                    new PlacementRequest.Share(
                        "team-a/new", Map.of(A100.id(), newcomer), SharingLimits.DEFAULT))))
        .isEqualTo("GPU-a");
    assertThat(
            lines(
                decider.decide(
                    cluster(used),
                    new PlacementRequest.Share("team-a/new", Map.of(A100.id(), newcomer), budget))))
        .singleElement()
        .asString()
        .contains("forecast 30 GiB by agnostic", "enough in 99.9 % of cases");
  }

  @Test
  void saysThatTheBoundsAreTheReasonForAWholeGpu() {
    ClusterSnapshot half = cluster(gpu("GPU-a", shared(tenant("t/1", 10, 1, OLD)), measured(1, 1)));
    PlacementRequest.Share requested =
        uncertain(Map.of(A100.id(), covered(prediction(20, 4), 0.67)));

    assertThat(lines(decider.decide(half, requested)))
        .containsExactly(
            "PolicyExcluded: the coverage of the prediction's bounds is 67 %, sharing requires 90"
                + " %, so it needs a whole free GPU",
            "ExclusiveRequested: GPU-a on node-1: is held by t/1 and is not free for exclusive"
                + " use");
    assertThat(
            ((Decision.Admitted) decider.decide(cluster(free("GPU-b")), requested))
                .evidence()
                .sentence())
        .isEqualTo(
            "a whole GPU: the coverage of the prediction's bounds is 67 %, sharing requires 90 %");
  }

  /** Certain on the A100, uncertain on the V100: the A100 is shared while there is room on it. */
  @Test
  void prefersAShareToAWholeGpuOfALessCertainDevice() {
    GpuSnapshot other = freeV100();
    PlacementRequest.Share requested =
        uncertain(Map.of(A100.id(), prediction(30, 4), V100.id(), onV100(0.5)));
    GpuSnapshot full = gpu("GPU-a", shared(tenant("t/1", 80, 8, OLD)), measured(8, 8));

    assertThat(grantedTo(decider.decide(cluster(other, free("GPU-a")), requested)))
        .isEqualTo("GPU-a");
    assertThat(grantedTo(decider.decide(cluster(other, full), requested))).isEqualTo("GPU-v");
    assertThat(
            codes(
                decider.decide(
                    cluster(other.withTenancy(new Tenancy.Exclusive("t/x")), full), requested)))
        .containsExactly(
            "UtilizationExceeded", "InterferenceExceeded", "PolicyExcluded", "ExclusiveRequested");
  }

  /** The A100 wants 0.9 and 0.7 is there, the V100 wants 0.5 and 0.4 is there: less is wanting. */
  @Test
  void namesCoverageAndWhatIsWantedOfOneProduct() {
    PlacementRequest.Share requested =
        new PlacementRequest.Share(
            "team-a/new",
            Map.of(A100.id(), covered(prediction(30, 4), 0.7), V100.id(), onV100(0.4)),
            byProduct(0.9, 0.5),
            TrustDomain.CLUSTER);

    assertThat(lines(decider.decide(cluster(), requested)))
        .first()
        .asString()
        .startsWith(
            "PolicyExcluded: the coverage of the prediction's bounds is 40 %, sharing requires 50"
                + " %");
  }

  /**
   * Bounds that hold in 0.6 of cases will do on the V100 alone, whichever GPU is the better fit.
   */
  @Test
  void asksForTheCoverageThatEachProductWants() {
    GpuSnapshot half = gpu("GPU-a", shared(tenant("t/1", 50, 4, OLD)), measured(4, 4));
    PlacementRequest.Share requested =
        new PlacementRequest.Share(
            "team-a/new",
            Map.of(A100.id(), covered(prediction(30, 4), 0.6), V100.id(), onV100(0.6)),
            byProduct(0.9, 0.5),
            TrustDomain.CLUSTER);
    PlacementRequest.Share otherWay =
        new PlacementRequest.Share(
            "team-a/new", requested.predictions(), byProduct(0.5, 0.9), TrustDomain.CLUSTER);

    assertThat(grantedTo(decider.decide(cluster(half, freeV100()), requested))).isEqualTo("GPU-v");
    assertThat(grantedTo(decider.decide(cluster(half, freeV100()), otherWay))).isEqualTo("GPU-a");
  }

  private static DeviceLimits byProduct(double onA100, double onV100) {
    return new DeviceLimits(
        SharingLimits.DEFAULT, Map.of(A100.id(), wanting(onA100), V100.id(), wanting(onV100)));
  }

  private static SharingLimits wanting(double least) {
    return SharingLimits.DEFAULT.withLeastCoverage(Coverage.of(least));
  }

  private static Prediction onV100(double coverage) {
    return covered(prediction(V100, Clusters.utilization(30), Clusters.memory(4)), coverage);
  }

  private static GpuSnapshot freeV100() {
    return new GpuSnapshot("GPU-v", "node-2", V100, MemorySize.ofGiB(16), shared(), measured(0, 0));
  }

  private static PlacementRequest.Share uncertain(Map<DeviceId, Prediction> predictions) {
    return new PlacementRequest.Share("team-a/new", predictions, SharingLimits.DEFAULT);
  }
}
