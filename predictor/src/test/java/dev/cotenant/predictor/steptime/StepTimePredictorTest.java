package dev.cotenant.predictor.steptime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.prediction.CalibrationGroup;
import dev.cotenant.domain.prediction.StepTimeEstimate;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import org.junit.jupiter.api.Test;

class StepTimePredictorTest {
  private static final StepTimePredictor PREDICTOR = StepTimePredictor.builtIn();
  private static final StepWork WORK =
      new StepWork(32, 4.089e9, 1.503e9, 1.111e7, 8.089e7, 2.553e7, 174, 0, 602_112);

  private static StepTimeEstimate at(double level) {
    return PREDICTOR
        .predict(
            WORK,
            RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32),
            DevicePart.whole(DeviceCatalogue.builtIn().require("t4")))
        .at(StepTimeBounds.TOTALS, Coverage.of(level))
        .estimate();
  }

  @Test
  void widensBoundsWithTheLevel() {
    double upper = 0;
    double lower = Double.POSITIVE_INFINITY;
    for (double level : new double[] {0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 0.99}) {
      StepTimeEstimate estimate = at(level);
      assertThat(estimate.coverage()).isEqualTo(Coverage.of(level));
      assertThat(estimate.upperSeconds()).isGreaterThan(upper);
      assertThat(estimate.lowerSeconds()).isLessThan(lower);
      upper = estimate.upperSeconds();
      lower = estimate.lowerSeconds();
    }
  }

  @Test
  void statesTheLevelThatTheRowsSupport() {
    assertThat(at(1).coverage()).isEqualTo(Coverage.of(0.99));
    assertThat(at(0.1).coverage()).isEqualTo(Coverage.of(0.5));
  }

  @Test
  void boundsNetworksOfKnownOperatorsMoreTightly() {
    for (double level : new double[] {0.8, 0.9, 0.95, 0.99}) {
      assertThat(StepTimeBounds.OPERATORS.of(1, Coverage.of(level)).upperSeconds())
          .isLessThan(StepTimeBounds.TOTALS.of(1, Coverage.of(level)).upperSeconds());
    }
  }

  @Test
  void boundsHalfPrecisionByItsOwnRuns() {
    RunSettings half = RunSettings.of(ExecutionMode.INFERENCE, Precision.FP16);

    assertThat(StepTimeBounds.of(half, true)).isEqualTo(StepTimeBounds.HALF_PRECISION);
    assertThat(StepTimeBounds.of(half, false)).isEqualTo(StepTimeBounds.TOTALS);
    assertThat(StepTimeBounds.of(RunSettings.of(ExecutionMode.INFERENCE, Precision.TF32), true))
        .isEqualTo(StepTimeBounds.OPERATORS);
    assertThat(StepTimeBounds.of(RunSettings.of(ExecutionMode.TRAINING, Precision.AMP), true))
        .isEqualTo(StepTimeBounds.TOTALS);
  }

  @Test
  void namesTheMeasuredRunsBehindABound() {
    assertThat(StepTimeBounds.OPERATORS.of(1, Coverage.of(0.9)).group())
        .isEqualTo(new CalibrationGroup("parvagpu and neusight", 371));
    StepTimeEstimate training = StepTimeBounds.TOTALS.of(1, Coverage.of(0.9));
    assertThat(training.group()).isEqualTo(new CalibrationGroup("timm", 4381));
    assertThat(training.capacity(8).group()).isEqualTo(training.group());
    assertThat(training.scaledTo(3).group()).isEqualTo(training.group());
  }

  @Test
  void turnsStepTimeIntoCapacity() {
    StepTimeEstimate estimate = new StepTimeEstimate(0.02, 0.01, 0.04, Coverage.of(0.9), null);
    StepTimeEstimate.Capacity capacity = estimate.capacity(8);
    assertThat(capacity.meanPerSecond()).isCloseTo(400, within(1e-9));
    assertThat(capacity.lowerPerSecond()).isCloseTo(200, within(1e-9));
    assertThat(capacity.upperPerSecond()).isCloseTo(800, within(1e-9));
  }
}
