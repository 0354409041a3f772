package dev.cotenant.admission.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.admission.FakePredictor;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.domain.prediction.ObjectivePrediction;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FittingBatchesTest {
  private static final DeviceId A100 = new DeviceId("a100-40gb");
  private static final DeviceId T4 = new DeviceId("t4");

  /** Kept where the share is positive; a GiB for each sample of a batch. */
  private static Prediction answered(DeviceId device, int batch, int sharePercent) {
    Prediction of = FakePredictor.of(10, MemorySize.ofGiB(batch), device);
    boolean kept = sharePercent > 0;
    Prediction prediction =
        new Prediction(
            device, batch, of.settings(), of.utilization(), of.peakMemory(), "test", List.of());
    return prediction.withService(
        new ObjectivePrediction(
            Duration.ofMillis(50),
            100.0,
            kept ? 0.02 : Double.POSITIVE_INFINITY,
            kept ? 1.2 : 0,
            kept ? 100 : 0,
            kept ? Share.ofPercent(sharePercent) : Share.WHOLE));
  }

  /** Small batches serve too few requests, large ones take too long; 6 and 8 need the same. */
  private static int share(int batch) {
    return switch (batch) {
      case 3 -> 80;
      case 4 -> 60;
      case 6, 8 -> 30;
      case 12 -> 50;
      default -> 0;
    };
  }

  private static Map<DeviceId, Prediction> best(long mostGib) {
    return FittingBatches.of(
            batch ->
                Optional.of(
                    Map.of(A100, answered(A100, batch, share(batch)), T4, answered(T4, batch, 0))),
            prediction -> prediction.peakMemory().upper().isAtMost(MemorySize.ofGiB(mostGib)))
        .orElseThrow();
  }

  @Test
  void takesTheBatchThatNeedsTheLeastShare() {
    Map<DeviceId, Prediction> best = best(40);

    assertThat(best).containsOnlyKeys(A100);
    assertThat(Objects.requireNonNull(best.get(A100)).batchSize()).isEqualTo(6);
  }

  @Test
  void takesNoBatchWhoseMemoryDoesNotFit() {
    assertThat(Objects.requireNonNull(best(5).get(A100)).batchSize()).isEqualTo(4);
    assertThat(best(2)).isEmpty();
  }

  @Test
  void goesOnInALaterRoundWhereTheEffortIsSpent() {
    List<Integer> asked = new ArrayList<>();
    assertThat(
            FittingBatches.of(
                batch -> {
                  asked.add(batch);
                  return batch < 4
                      ? Optional.of(Map.of(A100, answered(A100, batch, 0)))
                      : Optional.empty();
                },
                _ -> true))
        .isEmpty();
    assertThat(asked).containsExactly(1, 2, 3, 4);
  }

  @Test
  void saysWhatWouldFitWhereTheObjectiveIsMissed() {
    Map<DeviceId, Prediction> missed = Map.of(A100, answered(A100, 1, 0), T4, answered(T4, 1, 0));

    Map<DeviceId, Prediction> advised = FittingBatches.advised(missed, best(40));

    assertThat(
            Objects.requireNonNull(Objects.requireNonNull(advised.get(A100)).service()).fitting())
        .isEqualTo(new ObjectivePrediction.Fitting(6, Share.ofPercent(30)))
        .hasToString("batch 6 in a share of 30.0 %");
    assertThat(advised.get(T4)).isEqualTo(missed.get(T4));
  }
}
