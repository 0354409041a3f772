package dev.cotenant.admission.gate.port;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.state.LeaderState;
import dev.cotenant.admission.state.LeaderState.MemoryShortage;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.AdjustedPredictor;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.prediction.WorkloadPredictor;
import dev.cotenant.domain.prediction.WorkloadPredictor.Outcome;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.Workload;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Failures for lack of memory that pods state. */
class OomBackoffTest {
  private static final DeviceId A100 = new DeviceId("a100-40gb");
  private static final Workload RESNET = new Workload("resnet50", 64, RunSettings.DEFAULT);

  private Instant now = Instant.parse("2026-11-21T12:00:00Z");
  private final OomBackoff backoff = new OomBackoff(() -> now);
  private final WorkloadPredictor predictor =
      new AdjustedPredictor((workload, _, _) -> eightGibibytes(workload), backoff);

  private static Outcome eightGibibytes(Workload workload) {
    return new Outcome.Predicted(
        Map.of(
            A100,
            new Prediction(
                A100,
                workload.batchSize(),
                workload.settings(),
                new UtilizationEstimate(
                    Utilization.ofPercent(40),
                    Utilization.ofPercent(30),
                    Utilization.ofPercent(50),
                    Coverage.STANDARD),
                new MemoryEstimate(
                    MemorySize.ofGiB(6),
                    MemorySize.ofGiB(5),
                    MemorySize.ofGiB(8),
                    Coverage.STANDARD),
                "model",
                List.of())));
  }

  private void ranOut(String namespace, Workload workload, long gibibytes) {
    backoff.ranOut(
        new MemoryShortage(namespace, workload, A100, MemorySize.ofGiB(gibibytes), 1, now));
  }

  private double upper(String namespace, Workload workload) {
    return predictor.predictIn(namespace, workload, Set.of(A100), Coverage.STANDARD)
            instanceof Outcome.Predicted(var byDevice)
        ? byDevice.values().iterator().next().peakMemory().upper().toGiB()
        : Double.NaN;
  }

  @Test
  void failuresInOneNamespaceRaiseNothingInAnother() {
    ranOut("mallory", RESNET, 40);

    assertThat(upper("mallory", RESNET)).isEqualTo(40);
    assertThat(upper("team-a", RESNET)).isEqualTo(8);
    assertThat(
            predictor.predict(RESNET, Set.of(A100), Coverage.STANDARD)
                    instanceof Outcome.Predicted(var byDevice)
                ? byDevice.values().iterator().next().peakMemory().upper().toGiB()
                : Double.NaN)
        .isEqualTo(8);
  }

  @Test
  void failuresAreForgottenAMonthAfterTheLastOne() {
    ranOut("team-a", RESNET, 10);
    now = now.plus(Duration.ofDays(20));
    ranOut("team-a", RESNET, 9);
    now = now.plus(Duration.ofDays(29));
    assertThat(upper("team-a", RESNET)).isEqualTo(10);

    now = now.plus(Duration.ofDays(1));

    assertThat(upper("team-a", RESNET)).isEqualTo(8);
  }

  /** One workload each second: the oldest are forgotten, those of others are not. */
  @Test
  void aNamespaceHasABoundedNumberOfThem() {
    ranOut("team-a", RESNET, 10);
    for (int i = 0; i <= LeaderState.MAX_SHORTAGES_OF_NAMESPACE; i++) {
      now = now.plusSeconds(1);
      ranOut("mallory", new Workload("m" + i, 1, RunSettings.DEFAULT), 10);
    }

    assertThat(upper("mallory", new Workload("m0", 1, RunSettings.DEFAULT))).isEqualTo(8);
    assertThat(upper("mallory", new Workload("m1", 1, RunSettings.DEFAULT))).isEqualTo(10);
    assertThat(upper("team-a", RESNET)).isEqualTo(10);
  }

  /** An earlier term of this process knew what an operator has deleted since. */
  @Test
  void knowsWhatTheLastTermKnowsAndNothingElse() {
    ranOut("team-a", RESNET, 40);
    ranOut("team-b", RESNET, 40);

    backoff.replaceAll(
        List.of(new MemoryShortage("team-a", RESNET, A100, MemorySize.ofGiB(10), 1, now)));

    assertThat(upper("team-a", RESNET)).isEqualTo(10);
    assertThat(upper("team-b", RESNET)).isEqualTo(8);
  }

  @Test
  void thoseOfANamespaceDisplaceNoneOfAnotherInTheLeaderState() {
    List<MemoryShortage> shortages = new java.util.ArrayList<>();
    shortages.add(new MemoryShortage("team-a", RESNET, A100, MemorySize.ofGiB(9), 1, now));
    for (int i = 1; i <= 600; i++) {
      shortages.add(
          new MemoryShortage(
              "mallory",
              new Workload("m" + i, 1, RunSettings.DEFAULT),
              A100,
              MemorySize.ofGiB(9),
              1,
              now.plusSeconds(i)));
    }

    LeaderState state = new LeaderState(Map.of(), shortages, Map.of(), Set.of());

    assertThat(state.shortages())
        .hasSize(LeaderState.MAX_SHORTAGES_OF_NAMESPACE + 1)
        .contains(shortages.getFirst());
  }
}
