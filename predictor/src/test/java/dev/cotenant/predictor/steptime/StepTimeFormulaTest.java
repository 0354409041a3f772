package dev.cotenant.predictor.steptime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DevicePart;
import dev.cotenant.domain.device.PeakRates;
import dev.cotenant.domain.graph.StepWork;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Framework;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StepTimeFormulaTest {
  private static final RunSettings FP32 = RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32);
  private static final StepTimeFormula FORMULA = StepTimeFormula.typical();

  /** ResNet-50 at 224×224. */
  private static final StepWork RESNET50 =
      new StepWork(1, 4.089e9, 1.503e9, 1.111e7, 8.089e7, 2.553e7, 174, 0, 602_112);

  private static Device device(String id) {
    return DeviceCatalogue.builtIn().require(id);
  }

  private static DevicePart whole(String id) {
    return DevicePart.whole(device(id));
  }

  /**
   * 10^12 multiply-accumulates a sample without reuse below the threshold take 2 · 10^12 · 1.1 of
   * 7.85 · 10^12 a second at batch 1 with 10^8 outputs (b0 = 0.1): 2 · 1.0014 · 10^12 · 1.1 / (15.7
   * · 0.8 · 10^12) = 0.1754 s; 10^9 elements moved take 4 · 1.5 · 10^9 · 1.1 / 900 · 10^9 = 7.333
   * ms, 10^8 parameters 0.444 ms. Both one after the other: 183.2 ms.
   */
  @Test
  void addsArithmeticAndTraffic() {
    StepWork work = new StepWork(1, 1e12, 0, 1e8, 1e9, 1e8, 0, 0, 0);
    StepTime time = FORMULA.of(work, FP32, whole("v100"));
    assertThat(time.seconds()).isCloseTo(0.17540 + 0.007333 + 0.000444, within(1e-4));
    assertThat(time.busyShare()).isEqualTo(1);
  }

  /** Measured on an H200: 7.6 ms of inference, 14.0 and 14.3 ms of training. */
  @Test
  void timeStepsOfRecurrentLayersWaitForEachOther() {
    StepWork lstm = new StepWork(16, 1.19e9, 0, 1.4e6, 3.6e6, 1.445e7, 7, 256, 1024);

    StepTime inference = FORMULA.of(lstm, FP32, whole("h200"));
    StepTime training =
        FORMULA.of(lstm, RunSettings.of(ExecutionMode.TRAINING, Precision.FP32), whole("h200"));

    assertThat(inference.launchSeconds()).isCloseTo(28e-6 * (7 + 256), within(1e-9));
    assertThat(training.launchSeconds()).isCloseTo(28e-6 * (5 * 7 + 2 * 256), within(1e-9));
    assertThat(training.seconds()).isBetween(14.0e-3, 1.2 * 14.3e-3);
  }

  @Test
  void isBoundByTheHostAtBatch1() {
    StepTime time =
        FORMULA.of(
            RESNET50,
            RunSettings.of(ExecutionMode.INFERENCE, Precision.TF32),
            DevicePart.mig(device("a100-80gb"), 7));
    // measured: 4.7 to 5.1 ms on every instance
    assertThat(time.seconds()).isBetween(4.3e-3, 5.6e-3);
    assertThat(time.busyShare()).isLessThan(0.5);
  }

  @Test
  void usesWinogradInFp32Only() {
    StepWork other = new StepWork(1, 4.089e9, 0, 1.111e7, 8.089e7, 2.553e7, 174, 0, 602_112);
    DevicePart a100 = whole("a100-40gb");
    assertThat(FORMULA.arithmeticSeconds(RESNET50, Precision.FP32, a100))
        .isLessThan(FORMULA.arithmeticSeconds(other, Precision.FP32, a100));
    assertThat(FORMULA.arithmeticSeconds(RESNET50, Precision.TF32, a100))
        .isEqualTo(FORMULA.arithmeticSeconds(other, Precision.TF32, a100));
  }

  @Test
  void movesLessWhereAnEngineFuses() {
    StepWork large = RESNET50.atBatch(64);
    RunSettings fused = FP32.withFramework(Framework.TENSORRT);
    assertThat(FORMULA.of(large, fused, whole("v100")).gpuSeconds())
        .isLessThan(FORMULA.of(large, FP32, whole("v100")).gpuSeconds());
  }

  @Test
  void neverFallsWithTheBatch() {
    for (Device device : DeviceCatalogue.builtIn().devices()) {
      for (ExecutionMode mode : ExecutionMode.values()) {
        double before = 0;
        for (int batch = 1; batch <= 1024; batch *= 2) {
          double seconds =
              FORMULA
                  .of(
                      RESNET50.atBatch(batch),
                      RunSettings.of(mode, Precision.FP32),
                      DevicePart.whole(device))
                  .seconds();
          assertThat(seconds).isGreaterThanOrEqualTo(before).isFinite();
          before = seconds;
        }
      }
    }
  }

  /** Random amounts on random devices; one rate at a time is raised. */
  @Test
  void neverRisesWithARateOrAShare() {
    Random random = new Random(1);
    for (int i = 0; i < 500; i++) {
      StepWork work = work(random);
      Device slow = device(random.nextDouble(1, 100), random.nextDouble(100, 4000));
      Device faster = with(slow, 1.5, 1);
      Device wider = with(slow, 1, 1.5);
      double share = random.nextDouble(0.05, 1);
      double base = seconds(work, new DevicePart(slow, share, share));
      assertThat(seconds(work, new DevicePart(faster, share, share))).isLessThanOrEqualTo(base);
      assertThat(seconds(work, new DevicePart(wider, share, share))).isLessThanOrEqualTo(base);
      assertThat(seconds(work, DevicePart.whole(slow))).isLessThanOrEqualTo(base);
    }
  }

  private static double seconds(StepWork work, DevicePart part) {
    return FORMULA.of(work, FP32, part).seconds();
  }

  private static StepWork work(Random random) {
    return new StepWork(
        random.nextInt(1, 512),
        random.nextDouble(1e6, 1e11),
        0,
        random.nextDouble(1e4, 1e8),
        random.nextDouble(1e5, 1e9),
        random.nextDouble(1e4, 1e9),
        random.nextInt(1, 1000),
        random.nextInt(0, 1000),
        random.nextDouble(0, 1e6));
  }

  private static Device device(double teraflops, double gigabytesPerSecond) {
    Device known = device("v100");
    Map<Precision, Double> rates = new EnumMap<>(Precision.class);
    rates.put(Precision.FP32, teraflops);
    return new Device(
        known.id(),
        known.productName(),
        known.memory(),
        new PeakRates(rates),
        gigabytesPerSecond,
        known.streamingMultiprocessors(),
        known.l2Cache(),
        known.boardPowerWatts(),
        known.source());
  }

  private static Device with(Device device, double rate, double bandwidth) {
    return device(
        device.peak().teraflops(Precision.FP32) * rate,
        device.bandwidthGigabytesPerSecond() * bandwidth);
  }

  @Test
  void refusesImpossibleAmountsAndParts() {
    assertThatThrownBy(() -> RESNET50.atBatch(0)).hasMessageContaining("batch");
    assertThatThrownBy(() -> new StepWork(1, Double.NaN, 0, 1, 1, 1, 1, 0, 1))
        .hasMessageContaining("finite");
    assertThatThrownBy(() -> DevicePart.mig(device("a100-40gb"), 8)).hasMessageContaining("1 to 7");
    assertThatThrownBy(() -> DevicePart.mps(device("a100-40gb"), 0))
        .hasMessageContaining("smShare");
  }

  @Test
  void dividesAnA100IntoInstances() {
    DevicePart three = DevicePart.mig(device("a100-40gb"), 3);
    DevicePart four = DevicePart.mig(device("a100-40gb"), 4);
    assertThat(three.memoryShare()).isEqualTo(four.memoryShare()).isEqualTo(0.5);
    assertThat(four.smShare()).isCloseTo(56.0 / 108, within(1e-12));
  }
}
