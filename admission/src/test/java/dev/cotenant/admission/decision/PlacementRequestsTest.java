package dev.cotenant.admission.decision;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cotenant.admission.Bench;
import dev.cotenant.admission.FakePredictor;
import dev.cotenant.admission.TestClusters;
import dev.cotenant.admission.pod.PodRequest.Colocatable;
import dev.cotenant.admission.pod.PodRequestReader;
import dev.cotenant.admission.policy.Policies;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.decision.BoundRisk;
import dev.cotenant.domain.decision.DeviceLimits;
import dev.cotenant.domain.decision.PlacementRequest;
import dev.cotenant.domain.decision.PlacementRequest.ExclusiveCause;
import dev.cotenant.domain.decision.RiskLimit;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Slowdown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class PlacementRequestsTest {
  private static final DeviceId A100 = new DeviceId("a100-40gb");
  private static final DeviceId V100 = new DeviceId("v100-16gb");
  private static final String ONE = "'nvidia.com/gpu':'1'";

  private PlacementRequests requests =
      new PlacementRequests(new FakePredictor(), Policies.of(Policy.DEFAULT));

  @Test
  void asksForAShareOfEveryDeviceOfTheCluster() {
    PlacementRequest.Share share = share("'cotenant.dev/model':'resnet50'", ONE);

    assertThat(share.workload()).isEqualTo("team-a/p");
    assertThat(share.predictions()).containsOnlyKeys(A100, V100);
    assertThat(share.limits()).isEqualTo(DeviceLimits.of(SharingLimits.DEFAULT));
  }

  /** Predicted: mean 2048 + 64 = 2112 MiB, bounds 1024 MiB away, so upper 3136 MiB. */
  @Test
  void raisesMemoryToWhatIsDeclaredButNeverLowersIt() {
    MemoryEstimate raised =
        memory("'cotenant.dev/model':'resnet50','cotenant.dev/gpu-memory':'5Gi'", ONE);
    MemoryEstimate kept =
        memory("'cotenant.dev/model':'resnet50','cotenant.dev/gpu-memory':'1Gi'", ONE);

    assertThat(raised.upper()).isEqualTo(MemorySize.ofGiB(5));
    assertThat(raised.mean()).isEqualTo(MemorySize.ofGiB(5));
    assertThat(raised.lower()).isEqualTo(MemorySize.ofMiB(2112 - 1024));
    assertThat(kept.upper()).isEqualTo(MemorySize.ofMiB(3136));
    assertThat(kept.mean()).isEqualTo(MemorySize.ofMiB(2112));
  }

  /** A quarter of the A100's usable 39 GiB is 9.75 GiB, of the V100's 15 GiB 3.75 GiB. */
  @Test
  void takesADeclaredFractionOfEachDevice() {
    PlacementRequest.Share share =
        share("'cotenant.dev/model':'resnet50'", ONE + ",'nvidia.com/gpumem-percentage':'25'");

    assertThat(upper(share, A100)).isEqualTo(MemorySize.ofMiB(9984));
    assertThat(upper(share, V100)).isEqualTo(MemorySize.ofMiB(3840));
  }

  @Test
  void believesOurAnnotationBeforeADialect() {
    MemoryEstimate memory =
        memory(
            "'cotenant.dev/model':'resnet50','cotenant.dev/gpu-memory':'5Gi'",
            ONE + ",'nvidia.com/gpumem':'9000'");

    assertThat(memory.upper()).isEqualTo(MemorySize.ofGiB(5));
  }

  @Test
  void tightensTheSlowdownButNeverLoosensIt() {
    String model = "'cotenant.dev/model':'resnet50','cotenant.dev/max-slowdown':";

    assertThat(share(model + "'1.05'", ONE).limits().standard().slowdown())
        .isEqualTo(Slowdown.ofRatio(1.05));
    assertThat(share(model + "'3'", ONE).limits().standard().slowdown())
        .isEqualTo(Slowdown.ofRatio(1.15));
  }

  /** The policy's is 10 %, and binds only among what was measured. */
  @Test
  void aStatedRiskBudgetBindsAlwaysAndIsNeverLarger() {
    String model = "'cotenant.dev/model':'resnet50','cotenant.dev/risk-budget-percent':";

    assertThat(share(model + "'2'", ONE).limits().standard().risk())
        .isEqualTo(new RiskLimit(0.02, RiskLimit.Rule.ALWAYS));
    assertThat(share(model + "'50'", ONE).limits().standard().risk())
        .isEqualTo(new RiskLimit(0.1, RiskLimit.Rule.ALWAYS));
  }

  @Test
  void aStatedStayIsThatOfEveryPrediction() {
    assertThat(
            share("'cotenant.dev/model':'resnet50','cotenant.dev/expected-stay':'8h'", ONE)
                .predictions()
                .values())
        .hasSize(2)
        .allMatch(prediction -> Duration.ofHours(8).equals(prediction.stay()));
    assertThat(share("'cotenant.dev/model':'resnet50'", ONE).predictions().values())
        .allMatch(prediction -> prediction.stay() == null);
  }

  /** One percent for three tenants; utilization stays at the level of all predictions. */
  @Test
  void aBudgetOfMemoryAsksForItsOwnLevelOfMemoryAlone() {
    List<Coverage> asked = new ArrayList<>();
    WorkloadPredictor fake = new FakePredictor();
    WorkloadPredictor byLevel =
        (workload, devices, level) -> {
          asked.add(level);
          Map<DeviceId, Prediction> bounded = new HashMap<>();
          ((WorkloadPredictor.Outcome.Predicted) fake.predict(workload, devices, level))
              .byDevice()
              .forEach((device, prediction) -> bounded.put(device, at(level, prediction)));
          return new WorkloadPredictor.Outcome.Predicted(bounded);
        };
    Policy budget =
        Policy.DEFAULT.with(copy ->
            copy.limits =
                DeviceLimits.of(SharingLimits.DEFAULT.withBounds(new BoundRisk(0.01, 0.05))));
    requests = new PlacementRequests(byLevel, Policies.of(budget));
    Coverage ofMemory = Coverage.of(1 - 0.01 / 3);

    PlacementRequest.Share share = share("'cotenant.dev/model':'resnet50'", ONE);

    assertThat(asked).as("no latency objective").containsExactly(Coverage.of(0.9), ofMemory);
    Prediction prediction = Objects.requireNonNull(share.predictions().get(A100));
    assertThat(prediction.peakMemory().coverage()).isEqualTo(ofMemory);
    assertThat(prediction.utilization().coverage()).isEqualTo(Coverage.of(0.9));
  }

  private static Prediction at(Coverage level, Prediction prediction) {
    UtilizationEstimate busy = prediction.utilization();
    MemoryEstimate peak = prediction.peakMemory();
    return prediction
        .withUtilization(new UtilizationEstimate(busy.mean(), busy.lower(), busy.upper(), level))
        .withPeakMemory(new MemoryEstimate(peak.mean(), peak.lower(), peak.upper(), level));
  }

  @Test
  void asksForWholeGpusWhereTheModelIsUnknownOrSeveralAreWanted() {
    assertThat(ask("'cotenant.dev/model':'odd'", ONE))
        .isEqualTo(whole(1, new ExclusiveCause.ModelUnknown("odd")));
    assertThat(ask("", ONE)).isEqualTo(whole(1, new ExclusiveCause.ModelUnknown(null)));
    assertThat(ask("", "'nvidia.com/gpu':'2'"))
        .isEqualTo(whole(2, new ExclusiveCause.SeveralGpus()));
  }

  private static PlacementRequest whole(int gpus, ExclusiveCause because) {
    return new PlacementRequest.Whole("team-a/p", gpus, because, Map.of());
  }

  private MemoryEstimate memory(String annotations, String limits) {
    return peak(share(annotations, limits), A100);
  }

  private static MemorySize upper(PlacementRequest.Share share, DeviceId device) {
    return peak(share, device).upper();
  }

  private static MemoryEstimate peak(PlacementRequest.Share share, DeviceId device) {
    return Objects.requireNonNull(share.predictions().get(device)).peakMemory();
  }

  private PlacementRequest.Share share(String annotations, String limits) {
    return (PlacementRequest.Share) ask(annotations, limits);
  }

  private PlacementRequest ask(String annotations, String limits) {
    JsonNode pod =
        Bench.json(
            "{'metadata':{'name':'p','annotations':{"
                + annotations
                + "}},'spec':{'containers':[{'name':'c','resources':{'limits':{"
                + limits
                + "}}}]}}");
    Colocatable request = (Colocatable) new PodRequestReader().read(pod, "team-a");
    return requests.about(request, TestClusters.empty());
  }
}
