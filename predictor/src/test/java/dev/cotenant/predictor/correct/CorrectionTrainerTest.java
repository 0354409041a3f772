package dev.cotenant.predictor.correct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cotenant.domain.InputException;
import dev.cotenant.domain.prediction.CalibrationGroup;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.layer.LayeredPredictor;
import dev.cotenant.predictor.model.FeaturePredictor;
import dev.cotenant.predictor.train.TrainingProgress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

class CorrectionTrainerTest {
  private static final int SEEDS = 100;

  private static Correction train(List<ProfileRow> rows) {
    return new CorrectionTrainer(Clusters.DEVICES, TrainingProgress.SILENT)
        .train(Clusters.FLAT, Clusters.BASE, rows)
        .correction();
  }

  private static FeaturePredictor corrected(List<ProfileRow> rows) {
    return LayeredPredictor.of(
        Clusters.FLAT, new CorrectionLayer(Clusters.BASE_HASH, train(rows), "corrected"));
  }

  /** Ratio of squared errors on fresh rows, corrected over base, a seed each. */
  private static double[] ratios(int rows, ToDoubleFunction<Integer> bias, double noise) {
    double[] ratios = new double[SEEDS];
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      FeaturePredictor better = corrected(Clusters.rows(rows, random, bias, noise));
      List<ProfileRow> fresh = Clusters.rows(500, random, bias, noise);
      ratios[seed] = Clusters.meanSquare(better, fresh) / Clusters.meanSquare(Clusters.FLAT, fresh);
    }
    return ratios;
  }

  private static double mean(double[] values) {
    return java.util.Arrays.stream(values).average().orElseThrow();
  }

  private static double quantile(double[] values, double share) {
    double[] sorted = values.clone();
    java.util.Arrays.sort(sorted);
    return sorted[(int) (share * (sorted.length - 1))];
  }

  @Test
  void twentyRowsOfABiasedClusterHelp() {
    double[] ratios = ratios(20, family -> 0.25, 0.1);
    assertThat(quantile(ratios, 0.95)).isLessThan(0.5);
  }

  @Test
  void twentyRowsOfBiasedFamiliesHelp() {
    double[] ratios = ratios(20, family -> family % 2 == 0 ? 0.4 : -0.4, 0.1);
    assertThat(mean(ratios)).isLessThan(0.4);
    assertThat(quantile(ratios, 1)).isLessThan(1);
  }

  @Test
  void twentyRowsThatSayNothingDoNoHarm() {
    double[] ratios = ratios(20, family -> 0, 0.2);
    assertThat(mean(ratios)).isLessThan(1.01);
    assertThat(quantile(ratios, 0.95)).isLessThan(1.05);
  }

  @Test
  void helpsAFamilyThatItHasNotSeenByTheBiasOfThePlatform() {
    Random random = new Random(3);
    List<ProfileRow> rows = Clusters.rows(20, random, family -> 0.3, 0.05);
    Prediction prediction =
        Clusters.predict(corrected(rows), Clusters.row(9, 8, Clusters.A100, 0.3));
    assertThat(prediction.utilization().mean().percent()).isBetween(24.0, 29.0);
    assertThat(prediction.modelVersion()).isEqualTo("corrected");
  }

  @Test
  void leavesADeviceThatItHasNotSeenAlone() {
    List<ProfileRow> rows = Clusters.rows(20, new Random(3), family -> 0.3, 0.05);
    ProfileRow other = Clusters.row(9, 8, Clusters.T4, 0);
    assertThat(Clusters.predict(corrected(rows), other).utilization().mean().percent())
        .isCloseTo(20, org.assertj.core.api.Assertions.within(1e-9));
  }

  @Test
  void staysBelowTheCeilingOfTheLoad() {
    FeaturePredictor corrected = corrected(Clusters.rows(20, new Random(3), family -> 0.6, 0.05));
    RunSettings limited =
        RunSettings.DEFAULT.withLoad(new Load.UtilizationLimit(Utilization.ofPercent(22)));

    UtilizationEstimate estimate =
        corrected
            .predict(Clusters.model(1, 8), limited, Clusters.DEVICES.require("a100-40gb"))
            .utilization();

    assertThat(estimate.mean().percent()).isEqualTo(22);
    assertThat(estimate.upper().percent()).isEqualTo(22);
  }

  /** The base warns of devices that neither it nor the correction has runs of. */
  @Test
  void knowsTheDevicesOfItsRuns() {
    FeaturePredictor warning =
        request ->
            Clusters.FLAT
                .predict(request)
                .withWarnings(
                    request.measuredDevices().contains(request.device().id())
                        ? List.of()
                        : List.of("unseen"));
    List<ProfileRow> rows = Clusters.rows(20, new Random(3), _ -> 0.3, 0.05);
    FeaturePredictor corrected =
        LayeredPredictor.of(
            warning, new CorrectionLayer(Clusters.BASE_HASH, train(rows), "corrected"));

    assertThat(Clusters.predict(corrected, rows.getFirst()).warnings()).isEmpty();
    assertThat(Clusters.predict(corrected, Clusters.row(1, 8, Clusters.T4, 0)).warnings())
        .containsExactly("unseen");
  }

  @Test
  void boundsHoldAsOftenAsTheySay() {
    int held = 0;
    int all = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      ToDoubleFunction<Integer> bias = family -> 0.1 * family;
      FeaturePredictor better = corrected(Clusters.rows(60, random, bias, 0.3));
      for (ProfileRow row : Clusters.rows(200, random, bias, 0.3)) {
        double upper = Clusters.predict(better, row).utilization().upper().percent();
        held +=
            CorrectedTarget.UTILIZATION.measured(row).orElseThrow() <= Math.log1p(upper) ? 1 : 0;
        all++;
      }
    }
    assertThat((double) held / all).isBetween(0.87, 0.95);
  }

  @Test
  void namesTheOwnRunsBehindItsBounds() {
    List<ProfileRow> rows = Clusters.rows(20, new Random(3), _ -> 0.3, 0.05);
    assertThat(Clusters.predict(corrected(rows), rows.getFirst()).utilization().group())
        .isEqualTo(new CalibrationGroup("own runs on a100-40gb/training/fp32", 20));
  }

  @Test
  void fewRowsOnlyWidenBounds() {
    List<ProfileRow> rows = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      rows.add(Clusters.row(i, 8, Clusters.A100, i % 2 == 0 ? 0.4 : -0.4));
    }
    Prediction before = Clusters.predict(Clusters.FLAT, rows.getFirst());
    Prediction after = Clusters.predict(corrected(rows), rows.getFirst());
    assertThat(after.utilization().mean().percent())
        .isCloseTo(20, org.assertj.core.api.Assertions.within(1e-9));
    assertThat(after.utilization().upper()).isGreaterThan(before.utilization().upper());
    assertThat(after.utilization().lower()).isLessThan(before.utilization().lower());
  }

  @Test
  void leavesATargetAloneThatNoRowMeasures() {
    List<ProfileRow> rows = Clusters.rows(20, new Random(3), family -> 0.3, 0.05);
    assertThat(Clusters.predict(corrected(rows), rows.getFirst()).peakMemory())
        .isEqualTo(Clusters.predict(Clusters.FLAT, rows.getFirst()).peakMemory());
  }

  @Test
  void manyRowsLetTreesFindWhatOffsetsCannot() {
    Random random = new Random(11);
    List<ProfileRow> rows = Clusters.steps(400, random);
    List<ProfileRow> fresh = Clusters.steps(400, random);
    assertThat(train(rows).usesTrees(CorrectedTarget.UTILIZATION)).isTrue();
    assertThat(Clusters.meanSquare(corrected(rows), fresh))
        .isLessThan(0.1 * Clusters.meanSquare(Clusters.FLAT, fresh));
  }

  @Test
  void isTheSameForTheSameRows() {
    List<ProfileRow> rows = Clusters.rows(250, new Random(5), family -> 0.1 * family, 0.1);
    assertThat(CorrectionFile.write(train(rows))).isEqualTo(CorrectionFile.write(train(rows)));
  }

  @Test
  void refusesFewerRowsThanCanBeChecked() {
    List<ProfileRow> rows = Clusters.rows(4, new Random(5), family -> 0.1, 0.1);
    assertThatThrownBy(() -> train(rows))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("at least 5");
  }

  @Test
  void endsWhenTheListenerCancels() {
    List<ProfileRow> rows = Clusters.rows(20, new Random(5), family -> 0.1, 0.1);
    CorrectionTrainer trainer =
        new CorrectionTrainer(
            Clusters.DEVICES,
            (step, done, total) -> {
              throw new CancellationException();
            });
    assertThatThrownBy(() -> trainer.train(Clusters.FLAT, Clusters.BASE, rows))
        .isInstanceOf(CancellationException.class);
  }
}
