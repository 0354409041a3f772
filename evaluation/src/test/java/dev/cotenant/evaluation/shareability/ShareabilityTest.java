package dev.cotenant.evaluation.shareability;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.MemoryEstimate;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.UtilizationEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.quantity.Utilization;
import dev.cotenant.predictor.model.FeaturePredictor;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShareabilityTest {
  private static final Device T4 = DeviceCatalogue.builtIn().require("t4");

  private static ModelFeatures model(int batch) {
    return new ModelFeatures(
        new LayerCounts(1, 1, 1, 1),
        0,
        1000,
        MemorySize.ofMiB(1),
        1000L * batch,
        MemorySize.ofMiB(batch),
        MemorySize.ofMiB(batch),
        batch);
  }

  /** A percent a sample, up to 10 points more, and a GiB. */
  private static FeaturePredictor says(Coverage coverage, MemorySize peak) {
    return request -> {
      double percent = request.model().batchSize();
      return new Prediction(
          request.device().id(),
          request.model().batchSize(),
          request.settings(),
          new UtilizationEstimate(
              Utilization.ofPercent(percent),
              Utilization.IDLE,
              Utilization.ofPercent(percent + 10),
              coverage),
          new MemoryEstimate(peak, peak, peak, coverage),
          "says",
          List.of());
    };
  }

  private static double figure(FeaturePredictor predictor, String metric) {
    return new Shareability(predictor, new DeviceCatalogue(List.of(T4)))
        .evaluate(List.of(model(20), model(45), model(80))).stream()
            .filter(row -> row.protocol().equals("training") && row.metric().equals(metric))
            .mapToDouble(EvaluationRow::value)
            .findFirst()
            .orElseThrow();
  }

  /** Of 20, 45 and 80 % twice one fits by its bound of 30, and two by their means. */
  @Test
  void countsCasesOfWhichTwoCopiesFit() {
    FeaturePredictor predictor = says(Coverage.STANDARD, MemorySize.ofGiB(1));
    assertThat(figure(predictor, "share_by_bounds")).isEqualTo(1.0 / 3);
    assertThat(figure(predictor, "share_by_means")).isEqualTo(2.0 / 3);
  }

  @Test
  void sharesNothingByBoundsThatHoldTooRarely() {
    FeaturePredictor predictor = says(Coverage.of(0.83), MemorySize.ofGiB(1));
    assertThat(figure(predictor, "share_by_bounds")).isZero();
    assertThat(figure(predictor, "share_by_means")).isEqualTo(2.0 / 3);
  }

  @Test
  void sharesNothingThatDoesNotFitTheMemoryTwice() {
    assertThat(figure(says(Coverage.STANDARD, MemorySize.ofGiB(8)), "share_by_means")).isZero();
  }
}
