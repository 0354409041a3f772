package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.admission.FakePredictor;
import dev.cotenant.admission.cluster.WatchedPod;
import dev.cotenant.admission.pod.CotenantAnnotations;
import dev.cotenant.admission.pod.PodIdentity;
import dev.cotenant.admission.pod.WorkloadAnnotations;
import dev.cotenant.admission.policy.Policy;
import dev.cotenant.domain.cluster.Tenancy;
import dev.cotenant.domain.cluster.Tenant;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Services that state no rate count at the measured one, running and new ones. */
class MeasuredLoadsTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final RunSettings SERVING =
      RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32);

  private final GateBench bench = new GateBench(1);

  /** Measured requests per second by namespace. */
  private final Map<String, Double> rates = new HashMap<>();

  MeasuredLoadsTest() {
    bench.predictor = new AtRate();
    bench.lead();
  }

  /** At the measured rate of its namespace, utilization is that of batches of 4 to 5 ms. */
  private final class AtRate implements WorkloadPredictor {
    private final FakePredictor estimates = new FakePredictor();

    @Override
    public Outcome predict(Workload workload, Set<DeviceId> devices, Coverage level) {
      return estimates.predict(workload, devices, level);
    }

    @Override
    public Outcome predictIn(
        String namespace, Workload workload, Set<DeviceId> devices, Coverage level) {
      Double rate = rates.get(namespace);
      return rate == null || !workload.settings().equals(SERVING)
          ? predict(workload, devices, level)
          : at(rate, workload, devices, level);
    }

    private Outcome at(double rate, Workload workload, Set<DeviceId> devices, Coverage level) {
      Load load = new Load.RequestRate(rate, Load.RequestRate.Source.MEASURED);
      Workload asked = new Workload(workload.model(), workload.batchSize(), SERVING.withLoad(load));
      if (!(predict(asked, devices, level) instanceof Outcome.Predicted(var byDevice))) {
        throw new AssertionError(workload);
      }
      Map<DeviceId, Prediction> all = new HashMap<>();
      byDevice.forEach((device, prediction) ->
          all.put(device, prediction.withUtilization(prediction.serving().orElseThrow().at(rate))));
      return new Outcome.Predicted(all);
    }
  }

  private StoredPod service(String name, @Nullable Duration objective) {
    return service("team-a", name, SERVING, objective);
  }

  private StoredPod service(
      String namespace, String name, RunSettings settings, @Nullable Duration objective) {
    StoredPod pod =
        bench.pod(
            new PodIdentity(namespace, name, null),
            new WorkloadAnnotations(
                "densenet121", 1, settings, null, objective, null, null, List.of()),
            1);
    pod.annotations.put(CotenantAnnotations.RATE_METRIC, "vllm");
    pod.gates.add(WatchedPod.GATE);
    bench.server.create(pod);
    bench.settle();
    return pod;
  }

  private StoredPod started(String name, @Nullable Duration objective) {
    StoredPod pod = service(name, objective);
    assertThat(GateBench.gpu(pod)).isEqualTo("GPU-1a");
    bench.start(pod);
    return pod;
  }

  private void measured(double perSecond) {
    rates.put("team-a", perSecond);
    bench.later(MINUTE);
  }

  private List<Tenant> tenants() {
    return ((Tenancy.Shared)
            bench.controller().cluster().orElseThrow().find("GPU-1a").orElseThrow().tenancy())
        .tenants();
  }

  private double utilization() {
    return tenants().getFirst().utilization().upper().percent();
  }

  @Test
  void aRunningServiceCountsAtItsMeasuredRateUnderALaterLeaderToo() {
    StoredPod service = started("service", null);
    String memory = service.annotation(CotenantAnnotations.PREDICTED_MEMORY);
    assertThat(utilization()).isEqualTo(27.55);
    bench.later(MINUTE);
    assertThat(service.annotations).doesNotContainKey(CotenantAnnotations.MEASURED_RATE);

    measured(10);

    assertThat(service.annotation(CotenantAnnotations.MEASURED_RATE)).isEqualTo("10");
    assertThat(service.annotation(CotenantAnnotations.PREDICTED_UTILIZATION)).isEqualTo("5.0");
    assertThat(service.annotation(CotenantAnnotations.PREDICTED_MEMORY)).isEqualTo(memory);
    assertThat(utilization()).isCloseTo(5, within(1e-9));
    assertThat(bench.events()).containsOnlyOnce("RateMeasured");
    rates.clear();
    bench.lead();
    bench.later(MINUTE);
    assertThat(utilization()).as("written down").isCloseTo(5, within(1e-9));
    assertThat(bench.events()).doesNotContain("RateMeasured");
  }

  @Test
  void itsUtilizationIsHeldAgainstNewcomers() {
    StoredPod service = started("service", null);
    StoredPod neighbour = bench.hold("neighbour", "vgg19", 250);
    assertThat(GateBench.gpu(neighbour)).as("85 + 10 % and 27.6 %").isNull();

    measured(2);

    assertThat(service.annotation(CotenantAnnotations.PREDICTED_UTILIZATION)).isEqualTo("1.0");
    assertThat(GateBench.gpu(neighbour)).isEqualTo("GPU-1a");
  }

  @Test
  void itsObjectiveIsHeldWithTheQueueOfTheMeasuredRate() {
    StoredPod service = started("service", Duration.ofMillis(23));
    double without = Double.parseDouble(service.annotation(CotenantAnnotations.OBJECTIVE_SLOWDOWN));
    assertThat(without).as("23 over 5 ms").isCloseTo(4.6, within(1e-3));

    measured(100);

    double stands = Double.parseDouble(service.annotation(CotenantAnnotations.OBJECTIVE_SLOWDOWN));
    assertThat(stands).isBetween(1.0, 1.09);
    StoredPod neighbour = bench.hold("neighbour", "vgg19", 1);
    assertThat(bench.codes(neighbour)).contains("InterferenceExceeded");
    bench.lead();
    bench.settle();
    assertThat(bench.codes(neighbour)).contains("InterferenceExceeded");
  }

  /** 1,000 a second are above the capacity of 200: nobody joins, and the owner is told. */
  @Test
  void aRateThatNoObjectiveStandsLeavesNoSlowdown() {
    StoredPod service = started("service", Duration.ofMillis(23));

    measured(1000);

    assertThat(service.annotation(CotenantAnnotations.OBJECTIVE_SLOWDOWN)).isEqualTo("1.000");
    assertThat(service.annotation(CotenantAnnotations.PREDICTED_UTILIZATION)).isEqualTo("100.0");
    assertThat(bench.events()).contains("RateMeasured");
    bench.lead();
    bench.settle();
    assertThat(utilization()).isEqualTo(100);
  }

  @Test
  void countsAgainWhereTheRateHasChangedByAFifth() {
    StoredPod service = started("service", null);
    measured(10);
    measured(11.9);
    assertThat(service.annotation(CotenantAnnotations.MEASURED_RATE)).isEqualTo("10");
    measured(12.1);
    assertThat(service.annotation(CotenantAnnotations.MEASURED_RATE)).isEqualTo("12.1");
    measured(9);
    assertThat(service.annotation(CotenantAnnotations.MEASURED_RATE)).isEqualTo("9");
  }

  @Test
  void aNewPodStartsWithTheMeasuredRateAndSaysSo() {
    rates.put("team-a", 100.0);

    StoredPod service = service("service", Duration.ofMillis(50));

    assertThat(GateBench.gpu(service)).isEqualTo("GPU-1a");
    assertThat(service.annotation(CotenantAnnotations.MEASURED_RATE)).isEqualTo("100");
    assertThat(service.annotation(CotenantAnnotations.REASON))
        .contains("objective 50.0 ms at 100.0/s (measured)");
    assertThat(bench.events()).doesNotContain("ObjectiveNotEnforced");
  }

  @Test
  void aStatedRateCountsAsItIs() {
    rates.put("team-a", 1000.0);
    RunSettings stated = SERVING.withLoad(new Load.RequestRate(100));

    StoredPod service = service("team-a", "service", stated, Duration.ofMillis(50));
    bench.start(service);
    bench.later(MINUTE);

    assertThat(service.annotation(CotenantAnnotations.REASON))
        .contains("objective 50.0 ms at 100.0/s,");
    assertThat(service.annotations).doesNotContainKey(CotenantAnnotations.MEASURED_RATE);
  }

  @Test
  void theRateOfAnotherNamespaceDoesNotCount() {
    StoredPod service = started("service", null);
    rates.put("team-b", 10.0);
    bench.later(MINUTE);

    assertThat(service.annotations).doesNotContainKey(CotenantAnnotations.MEASURED_RATE);
    assertThat(utilization()).isEqualTo(27.55);
  }

  /** Annotations there are anybody's; the leaders' record has the amounts. */
  @Test
  void aLaterLeaderTrustsItWhereNoWebhookGuardsTheNamespace() {
    StoredPod service = started("service", null);
    bench.optedOut.add("team-a");
    measured(10);
    bench.later(MINUTE);
    rates.clear();

    bench.lead();
    bench.later(MINUTE);

    assertThat(service.annotation(CotenantAnnotations.MEASURED_RATE)).isEqualTo("10");
    assertThat(utilization()).isCloseTo(5, within(1e-9));
  }

  @Test
  void givesNoCapacityAwayBeforeItIsWrittenDown() {
    StoredPod service = started("service", null);
    bench.server.refusing = service::equals;

    measured(10);

    assertThat(service.annotations).doesNotContainKey(CotenantAnnotations.MEASURED_RATE);
    assertThat(utilization()).isEqualTo(27.55);
    bench.server.refusing = _ -> false;
    bench.later(MINUTE);
    assertThat(service.annotation(CotenantAnnotations.MEASURED_RATE)).isEqualTo("10");
    assertThat(utilization()).isCloseTo(5, within(1e-9));
  }

  @Test
  void takesCapacityBeforeItIsWrittenDown() {
    StoredPod service = started("service", null);
    measured(10);
    bench.server.refusing = service::equals;

    measured(100);

    assertThat(service.annotation(CotenantAnnotations.MEASURED_RATE)).isEqualTo("10");
    assertThat(utilization()).isCloseTo(50, within(1e-9));
  }

  @Test
  void itsObjectiveCountsAtOnce() {
    StoredPod service = started("service", Duration.ofMillis(23));
    bench.server.refusing = service::equals;

    measured(100);

    assertThat(tenants().getFirst().slowdownLimit().ratio()).isBetween(1.0, 1.09);
  }

  /** Its policy gives parts of GPUs since then: it has all of its GPU all the same. */
  @Test
  void whatRunsInAllOfItsGpuIsNotCountedInAPart() {
    StoredPod service = started("service", Duration.ofMillis(50));
    bench.policy =
        bench.policy.with(copy -> copy.gpuAssignment = Policy.GpuAssignment.VISIBLE_DEVICES);
    bench.lead();

    measured(10);

    assertThat(service.annotation(CotenantAnnotations.PREDICTED_UTILIZATION)).isEqualTo("5.0");
    double stands = Double.parseDouble(service.annotation(CotenantAnnotations.OBJECTIVE_SLOWDOWN));
    assertThat(stands).as("of the whole GPU").isEqualTo(3.999);
  }

  @Test
  void aPodInAPartOfItsGpuKeepsItsGrant() {
    StoredPod service = started("service", null);
    service.annotations.put(CotenantAnnotations.MPS_ACTIVE_THREAD_PERCENTAGE, "20");
    bench.change(service);
    measured(10);

    assertThat(service.annotations).doesNotContainKey(CotenantAnnotations.MEASURED_RATE);
  }
}
