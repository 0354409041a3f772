package dev.cotenant.predictor.hybrid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.BackwardMemory;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.prediction.CalibrationGroup;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.Checkpointing;
import dev.cotenant.domain.workload.ExecutionMode;
import dev.cotenant.domain.workload.Framework;
import dev.cotenant.domain.workload.Optimizer;
import dev.cotenant.domain.workload.Precision;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.domain.workload.TrainingRecipe;
import dev.cotenant.predictor.hybrid.prior.MemoryAmounts;
import dev.cotenant.predictor.hybrid.prior.MemoryPrior;
import dev.cotenant.predictor.hybrid.prior.Run;
import dev.cotenant.predictor.model.ResidualQuantiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** 25 × 2^20 parameters: 100 MiB in fp32. 100 matrix layers save 800 MiB, 64 are alive at once. */
class MemoryAmountsTest {
  private static final Device A100 = DeviceCatalogue.builtIn().require("a100-40gb");
  private static final MemoryPrior PRIOR = new MemoryPrior(100, 10, 300, 3, 2.25, 1, 3);

  private static final ModelFeatures LAYERS =
      new ModelFeatures(
          new LayerCounts(99, 1, 0, 0),
          0,
          25L << 20,
          MemorySize.ofMiB(100),
          1,
          MemorySize.ofMiB(900),
          MemorySize.ofMiB(16),
          32);
  private static final ModelFeatures MODEL =
      new ModelFeatures(
          LAYERS.layers(),
          LAYERS.normalizations(),
          LAYERS.parameters(),
          LAYERS.modelSize(),
          LAYERS.multiplyAccumulates(),
          LAYERS.activations(),
          LAYERS.inputs(),
          LAYERS.batchSize(),
          new BackwardMemory(MemorySize.ofMiB(800), MemorySize.ofMiB(30)),
          LAYERS.eager(),
          MemorySize.ofMiB(64));

  private static MemoryAmounts training(Precision precision, TrainingRecipe recipe) {
    return MemoryAmounts.of(
        MODEL, RunSettings.of(ExecutionMode.TRAINING, precision).withRecipe(recipe));
  }

  private static MemoryAmounts inference(Precision precision) {
    return MemoryAmounts.of(MODEL, RunSettings.of(ExecutionMode.INFERENCE, precision));
  }

  @Test
  void areThoseOfTheGraphForTrainingInFp32WithAdam() {
    assertThat(training(Precision.FP32, TrainingRecipe.DEFAULT))
        .isEqualTo(new MemoryAmounts(100, 100, 800, 30));
  }

  @Test
  void halveActivationsAndKeepFp32WeightsUnderAutocast() {
    // 800 / 2 saved, and a half-precision copy of 100 MiB of weights
    assertThat(training(Precision.AMP, TrainingRecipe.DEFAULT))
        .isEqualTo(new MemoryAmounts(100, 100, 450, 15));
    assertThat(training(Precision.BF16, TrainingRecipe.DEFAULT))
        .isEqualTo(new MemoryAmounts(50, 50, 400, 15));
  }

  @ParameterizedTest
  @CsvSource({"SGD, 33.333, 44.444", "MOMENTUM, 66.667, 72.222", "ADAMW, 100, 100"})
  void countTheStatesOfTheOptimizer(Optimizer optimizer, double states, double updates) {
    MemoryAmounts amounts =
        training(Precision.FP32, new TrainingRecipe(optimizer, Checkpointing.NONE));
    assertThat(amounts.states()).isCloseTo(states, within(1e-3));
    assertThat(amounts.updates()).isCloseTo(updates, within(1e-3));
  }

  @Test
  void saveTheBordersOfSegmentsUnderCheckpointing() {
    TrainingRecipe recipe = new TrainingRecipe(Optimizer.ADAM, Checkpointing.SEGMENTS);
    // 2 / √100 of 800
    assertThat(training(Precision.FP32, recipe).tensors()).isCloseTo(160, within(1e-9));
  }

  @Test
  void areWeightsAndLiveTensorsInInference() {
    assertThat(inference(Precision.FP32)).isEqualTo(new MemoryAmounts(100.0 / 3, 0, 80, 10));
    assertThat(inference(Precision.FP16)).isEqualTo(new MemoryAmounts(50.0 / 3, 0, 40, 5));
  }

  @Test
  void makeUpThePeakOfInference() {
    Run run = Run.of(MODEL, RunSettings.of(ExecutionMode.INFERENCE, Precision.FP32), A100);
    // context 100 + 10 × 108 + 300, weights 100, tensors 80, workspace 3 × 10
    assertThat(Math.exp(PRIOR.log(run))).isCloseTo(1480 + 100 + 80 + 30, within(1e-9));
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1, 2", "2, 2", "3, 6", "2046, 2046", "2047, 4094", "4096, 8190"})
  void growPoolsByDoublingRegions(double needed, double pool) {
    assertThat(BfcArena.pool(needed)).isEqualTo(pool);
  }

  @Test
  void reserveAPoolUnderTensorFlow() {
    RunSettings settings = RunSettings.DEFAULT.withFramework(Framework.TENSORFLOW);
    ModelFeatures pointwise =
        MODEL.with(new BackwardMemory(MemorySize.ofMiB(800), MemorySize.ZERO));
    Run run = Run.of(pointwise, settings, A100);
    HybridModel.Estimate needed =
        new HybridModel.Estimate(
            Math.log(1480 + 1000),
            new HybridBounds.Offsets(
                new ResidualQuantiles(-0.1, 0.2),
                Coverage.STANDARD,
                new CalibrationGroup(FamiliarGroups.ALL, 9)),
            1);
    HybridModel.Estimate reserved = BfcArena.reserved(PRIOR, run, needed);
    assertThat(Math.exp(reserved.mean())).isCloseTo(1480 + 1022, within(1e-6));
    // 1,221 MiB more than 1,808 of baseline need 2,046, and fragments one region more
    assertThat(Math.exp(reserved.upper())).isCloseTo(1480 * Math.exp(0.2) + 4094, within(1e-6));
    assertThat(reserved.lower()).isLessThan(reserved.mean());
    // autotuning of wide convolutions takes up to 4,096 MiB: regions of 2 to 4,096
    HybridModel.Estimate autotuned =
        BfcArena.reserved(PRIOR, Run.of(MODEL, settings, A100), needed);
    assertThat(Math.exp(autotuned.mean())).isCloseTo(1480 + 8190, within(1e-6));
    Run pytorch = Run.of(MODEL, RunSettings.DEFAULT, A100);
    assertThat(BfcArena.reserved(PRIOR, pytorch, needed)).isEqualTo(needed);
  }

  @ParameterizedTest
  @CsvSource({"PYTORCH, 1480", "PYTORCH_1, 2072", "PYTORCH_2, 444"})
  void startFromWhatTheVersionOfPyTorchLoads(Framework framework, double baseline) {
    Run run = Run.of(MODEL, RunSettings.DEFAULT.withFramework(framework), A100);
    assertThat(PRIOR.host(run)).isCloseTo(baseline, within(1e-9));
  }
}
