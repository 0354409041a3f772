package dev.cotenant.predictor.hybrid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.BackwardMemory;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.hybrid.prior.MemoryAmounts;
import dev.cotenant.predictor.hybrid.prior.MemoryPrior;
import dev.cotenant.predictor.hybrid.prior.Prior;
import dev.cotenant.predictor.hybrid.prior.Run;
import dev.cotenant.predictor.hybrid.prior.StandardErrors;
import dev.cotenant.predictor.hybrid.prior.StepCost;
import dev.cotenant.predictor.hybrid.prior.UtilizationPrior;
import dev.cotenant.predictor.model.Host;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PriorTest {
  private static final Device A100 = DeviceCatalogue.builtIn().require("a100-40gb");
  private static final RunSettings INFERENCE =
      RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32);

  private static ModelFeatures model(long macs, long parameters, int layers, int batch) {
    return new ModelFeatures(
        new LayerCounts(0, layers, layers - 1, 1),
        1,
        parameters,
        MemorySize.ofBytes(4 * parameters),
        macs * batch,
        MemorySize.ofBytes(4096L * layers * batch),
        MemorySize.ofBytes(4000L * batch),
        batch);
  }

  /** 39 GFLOP at 19.5 TFLOP/s are 2 ms a pass; the rest is counted as bytes over 1,555 GB/s. */
  @Test
  void countsThePassesOfAStep() {
    ModelFeatures model = model(195_000_000, 1_000_000, 10, 100);
    StepCost step = StepCost.of(model, RunSettings.DEFAULT, A100);
    assertThat(step.arithmeticSeconds()).isCloseTo(3 * 2e-3, within(1e-12));
    // weights 4 MB, activations 4,096 × 10 × 100
    assertThat(step.trafficSeconds()).isCloseTo(3 * (4e6 + 4_096_000) / 1555e9, within(1e-12));
    assertThat(step.optimizerSeconds()).isCloseTo(28e6 / 1555e9, within(1e-12));
    // 10 linear layers and 1 normalisation threefold, 9 activations twofold, 3 of the loss
    assertThat(step.kernels()).isEqualTo(3 * 11 + 2 * 9 + 3);
    StepCost forward = StepCost.of(model, INFERENCE, A100);
    assertThat(forward.arithmeticSeconds()).isCloseTo(2e-3, within(1e-12));
    assertThat(forward.optimizerSeconds()).isZero();
    assertThat(forward.kernels()).isEqualTo(10 + 9 + 1 + 1);
  }

  @Test
  void isBusyForTheShareOfTimeThatTheDeviceNeeds() {
    // t = 2 · 0 s + 1,000 µs · 5 kernels = 5 ms; l = 600 µs · 5 = 3 ms; h = 2 ms:
    // 97 · 5 / (5 + 3 + 2)
    UtilizationPrior prior = new UtilizationPrior(2, 1000, 600, 2, 1e-9, 1e-9, 1);
    ModelFeatures model = model(1, 1, 1, 1);
    RunSettings settings = RunSettings.DEFAULT;
    StepCost cost = new StepCost(0, 0, 0, 5, 0, 0);
    Run run = new Run(model, settings, cost, MemoryAmounts.of(model, settings), A100);
    assertThat(Math.expm1(prior.log(run))).isCloseTo(48.5, within(1e-9));
  }

  @Test
  void addsUpWhatAPeakConsistsOf() {
    MemoryPrior prior = new MemoryPrior(100, 10, 300, 3, 2, 1.5, 4);
    // an A100 has 108 multiprocessors: 100 + 10 × 108 + 3 × 100 + √((1.5 × 100)² + (2 × 100)²) MiB
    assertThat(peakMebibytes(prior, 0, 0)).isCloseTo(1480 + 250, within(1e-9));
    // 300 for convolutions, and 4 × 82.5 for the largest: √(480² + 200²) = 520
    assertThat(peakMebibytes(prior, 3, 82.5)).isCloseTo(1480 + 300 + 520, within(1e-9));
  }

  /** 0.7 of the 1480 MiB of context less, of 2300 MiB in all, or more. */
  @Test
  void doubtsTheContextOfANewHost() {
    MemoryPrior prior = new MemoryPrior(100, 10, 300, 3, 2, 1.5, 4);
    StandardErrors uncertainty = prior.hostUncertainty(run(3, 82.5));
    assertThat(uncertainty.below()).isCloseTo(0.7 * 1480 / 2300, within(1e-9));
    assertThat(uncertainty.above()).isCloseTo(0.5 * 1480 / 2300, within(1e-9));
  }

  private static double peakMebibytes(Prior prior, int convolutions, double largest) {
    return Math.exp(prior.log(run(convolutions, largest)));
  }

  /** 100 MiB of weights, 100 MiB kept. */
  private static Run run(int convolutions, double largest) {
    ModelFeatures model =
        new ModelFeatures(
                new LayerCounts(convolutions, 3, 0, 0),
                0,
                1,
                MemorySize.ofMiB(100),
                1,
                MemorySize.ofMiB(50),
                MemorySize.ZERO,
                1)
            .with(
                new BackwardMemory(
                    MemorySize.ofMiB(100), MemorySize.ofBytes((long) (largest * (1 << 20)))));
    return Run.of(model, RunSettings.DEFAULT, A100);
  }

  @Test
  void gradientsAreThoseOfTheFormula() {
    for (Prior prior :
        List.of(
            new UtilizationPrior(1, 13, 7, 0.1, 2, 0.1, 0.6),
            new MemoryPrior(90, 8, 400, 3, 2, 1.1, 2))) {
      for (Run run : runs(50)) {
        double[] gradient = prior.gradient(run);
        for (int k = 0; k < gradient.length; k++) {
          double slope = (moved(prior, k, 1e-5).log(run) - moved(prior, k, -1e-5).log(run)) / 2e-5;
          assertThat(gradient[k]).isCloseTo(slope, within(1e-7));
        }
      }
    }
  }

  private static Prior moved(Prior prior, int coefficient, double by) {
    double[] logarithms = prior.logarithms();
    logarithms[coefficient] += by;
    return prior.withLogarithms(logarithms);
  }

  private static List<Run> runs(int count) {
    Random random = new Random(3);
    List<Run> runs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ModelFeatures model =
          model(
              (long) Math.exp(12 + 8 * random.nextDouble()),
              (long) Math.exp(10 + 8 * random.nextDouble()),
              2 + random.nextInt(40),
              1 + random.nextInt(512));
      runs.add(Run.of(model, RunSettings.DEFAULT, A100));
    }
    return runs;
  }

  @Test
  void fitAnswersLikeThePriorThatMadeTheRuns() {
    UtilizationPrior truth = new UtilizationPrior(0.8, 9, 14, 0.2, 1.1, 0.15, 0.9);
    List<Run> runs = runs(400);
    double[] logs = runs.stream().mapToDouble(truth::log).toArray();
    double[] alike = new double[logs.length];
    Arrays.fill(alike, 1);
    Prior fitted = new PriorFit(UtilizationPrior.TYPICAL).fit(runs, logs, alike).prior();
    double squares = 0;
    for (int i = 0; i < logs.length; i++) {
      squares += Math.pow(fitted.log(runs.get(i)) - logs[i], 2) / logs.length;
    }
    assertThat(Math.sqrt(squares)).isLessThan(0.03);
  }

  @Test
  void fitStaysWithItsBeliefWhereRowsSayNothing() {
    UtilizationPrior belief = UtilizationPrior.TYPICAL;
    Run run = runs(1).getFirst();
    Prior fitted =
        new PriorFit(belief)
            .fit(List.of(run), new double[] {belief.log(run)}, new double[] {1})
            .prior();
    for (int k = 0; k < belief.logarithms().length; k++) {
      assertThat(fitted.logarithms()[k]).isCloseTo(belief.logarithms()[k], within(1e-6));
    }
  }

  /** Perceptrons of little but context say nothing of what convolutions take. */
  @Test
  void doubtsMostWhatNoRowToldAnythingAbout() {
    List<Run> perceptrons = new ArrayList<>();
    for (int batch = 1; batch <= 64; batch++) {
      perceptrons.add(Run.of(model(1_000, 1_000 + batch, 3, batch), RunSettings.DEFAULT, A100));
    }
    double[] logs = perceptrons.stream().mapToDouble(MemoryPrior.TYPICAL::log).toArray();
    double[] alike = new double[logs.length];
    Arrays.fill(alike, 1);
    ParameterUncertainty uncertainty =
        new PriorFit(MemoryPrior.TYPICAL).fit(perceptrons, logs, alike);
    ModelFeatures convolutional =
        new ModelFeatures(
                new LayerCounts(20, 0, 20, 0),
                0,
                1_000,
                MemorySize.ofMiB(1),
                1_000,
                MemorySize.ofGiB(10),
                MemorySize.ZERO,
                1)
            .with(new BackwardMemory(MemorySize.ofGiB(10), MemorySize.ofGiB(10)));
    double known = uncertainty.of(perceptrons.getFirst(), Host.MEASURED).below();
    Run request = Run.of(convolutional, RunSettings.DEFAULT, A100);
    double unknown = uncertainty.of(request, Host.MEASURED).below();
    // 30 of about 42 GiB are gradients and workspaces, known within 50 %
    assertThat(unknown).isBetween(0.3, 0.45);
    // a context of 0.59 × (100 + 1,350 + 400) MiB of 41 GiB, known within √(0.52² + 0.7²), adds
    // (0.875 × 0.026)² to the square
    assertThat(uncertainty.of(request, Host.UNKNOWN).below()).isBetween(unknown, 1.05 * unknown);
    StandardErrors small = uncertainty.of(perceptrons.getFirst(), Host.UNKNOWN);
    assertThat(small.below()).isBetween(0.6, 0.92);
    assertThat(small.above()).isBetween(0.45, 0.75).isGreaterThan(known);
    assertThat(known).isLessThan(unknown / 2);
  }

  @Test
  void movesFurtherFromItsBeliefForManyModelsThanForBatchesOfOne() {
    List<Run> batches = new ArrayList<>();
    List<Run> models = new ArrayList<>();
    for (int batch = 1; batch <= 200; batch++) {
      batches.add(Run.of(model(1_000, 50_000_000, 8, batch), RunSettings.DEFAULT, A100));
      models.add(Run.of(model(1_000, 50_000_000 + batch, 8, batch), RunSettings.DEFAULT, A100));
    }
    assertThat(weightCopies(models)).isGreaterThan(weightCopies(batches)).isLessThan(6);
  }

  /** What a fit makes of runs that kept six copies, where three are believed in. */
  private static double weightCopies(List<Run> runs) {
    MemoryPrior truth = new MemoryPrior(100, 12.5, 400, 6, 2.25, 1.05, 3);
    double[] alike = new double[runs.size()];
    Arrays.fill(alike, 1);
    double[] logs = runs.stream().mapToDouble(truth::log).toArray();
    ParameterUncertainty fitted = new PriorFit(MemoryPrior.TYPICAL).fit(runs, logs, alike);
    return Math.exp(fitted.prior().logarithms()[3]);
  }
}
