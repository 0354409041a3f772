package dev.cotenant.admission.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.FakePredictor;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Workload;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Grants of engines whose constants are learned again while they run. */
class EngineBoundsTest {
  private static final MemorySize SHIPPED = MemorySize.ofMiB(2_112 + 1_024);

  private final GateBench bench = new GateBench(1);
  private final Learned learned = new Learned();

  /** Predicts more or less by what was learned; nothing else changes. */
  private static final class Learned implements WorkloadPredictor {
    private final FakePredictor shipped = new FakePredictor();
    private MemorySize more = MemorySize.ZERO;

    @Override
    public Outcome predict(Workload workload, Set<DeviceId> devices, Coverage level) {
      Outcome outcome = shipped.predict(workload, devices, level);
      if (!(outcome instanceof Outcome.Predicted(Map<DeviceId, Prediction> byDevice))) {
        return outcome;
      }
      Map<DeviceId, Prediction> all = new HashMap<>();
      byDevice.forEach((device, one) -> {
        MemoryEstimate peak = one.peakMemory();
        all.put(
            device,
            one.withPeakMemory(
                new MemoryEstimate(
                    peak.mean().plus(more),
                    peak.lower(),
                    peak.upper().plus(more),
                    peak.coverage())));
      });
      return new Outcome.Predicted(all);
    }
  }

  private MemorySize bound(StoredPod pod) {
    GateView.Holding held =
        Objects.requireNonNull(bench.controller().view().granted().get(pod.identity));
    return Objects.requireNonNull(held.decision().grants().getFirst().prediction())
        .peakMemory()
        .upper();
  }

  private StoredPod started(String name) {
    StoredPod pod = bench.holdServer(name, "resnet50");
    bench.start(pod);
    return pod;
  }

  private void learn(MemorySize more) {
    learned.more = more;
    bench.later(Duration.ofSeconds(15));
  }

  private void lead() {
    bench.predictor = learned;
    bench.lead();
  }

  @Test
  void aStandingGrantGetsTheLargerBoundAndKeepsItUntilItEnds() {
    lead();
    StoredPod first = started("first");
    assertThat(bound(first)).isEqualTo(SHIPPED);

    learn(MemorySize.ofGiB(3));
    assertThat(bound(first)).isEqualTo(SHIPPED.plus(MemorySize.ofGiB(3)));
    assertThat(bench.events()).containsOnlyOnce("MemoryBoundRaised");

    learn(MemorySize.ZERO); // rolled back
    assertThat(bound(first)).isEqualTo(SHIPPED.plus(MemorySize.ofGiB(3)));
    assertThat(bench.events()).containsOnlyOnce("MemoryBoundRaised");
    bench.later(Duration.ofMinutes(10));
    StoredPod second = started("second");
    assertThat(bound(second)).isEqualTo(SHIPPED);
    assertThat(bound(first)).isEqualTo(SHIPPED.plus(MemorySize.ofGiB(3)));
  }

  /** Others are placed beside the larger bound, though the server was granted the smaller one. */
  @Test
  void capacityIsCountedByTheLargerBound() {
    lead();
    started("first");
    learn(MemorySize.ofGiB(34));

    StoredPod next = bench.hold("next", "densenet121", 8);

    assertThat(GateBench.gpu(next)).isNull();
    assertThat(bench.codes(next)).contains("MemoryForecastExceeded");
  }

  @Test
  void aNewLeaderRaisesWhatAnnotationsSay() {
    lead();
    StoredPod first = started("first");
    learned.more = MemorySize.ofGiB(2);

    bench.lead();

    assertThat(bound(first)).isEqualTo(SHIPPED.plus(MemorySize.ofGiB(2)));
  }

  @Test
  void grantsOfGraphsStayWhatTheyWere() {
    lead();
    StoredPod job = bench.hold("job", "densenet121", 8);
    bench.start(job);
    MemorySize granted = bound(job);

    learn(MemorySize.ofGiB(3));

    assertThat(bound(job)).isEqualTo(granted);
    assertThat(bench.events()).doesNotContain("MemoryBoundRaised");
  }
}
