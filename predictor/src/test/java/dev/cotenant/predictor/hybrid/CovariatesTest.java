package dev.cotenant.predictor.hybrid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.BackwardMemory;
import dev.cotenant.domain.graph.LayerCounts;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.predictor.hybrid.prior.Covariates;
import dev.cotenant.predictor.hybrid.prior.Run;
import dev.cotenant.predictor.model.Target;
import dev.cotenant.predictor.testing.SyntheticRuns;
import dev.cotenant.predictor.train.ResidualBoosting;
import java.util.List;
import org.junit.jupiter.api.Test;

class CovariatesTest {
  /** A batch of 2 through three convolutions and a linear layer, with 8 MiB of outputs. */
  private static final ModelFeatures FOUR_PRODUCTS =
      new ModelFeatures(
              new LayerCounts(3, 1, 3, 0),
              0,
              4_000,
              MemorySize.ofBytes(16_000),
              80_000,
              MemorySize.ofMiB(8),
              MemorySize.ofBytes(200),
              2)
          .with(new BackwardMemory(MemorySize.ofMiB(4), MemorySize.ofMiB(2)));

  private static float[] of(ModelFeatures model) {
    Run run = Run.of(model, RunSettings.DEFAULT, DeviceCatalogue.builtIn().require("a100-40gb"));
    return Covariates.of(run, 3);
  }

  private static double named(float[] vector, String name) {
    return vector[Covariates.NAMES.indexOf(name)];
  }

  @Test
  void haveANameEachAndBeginWithThoseOfOlderModels() {
    assertThat(of(FOUR_PRODUCTS)).hasSize(Covariates.count());
    assertThat(Covariates.NAMES).doesNotHaveDuplicates();
    assertThat(Covariates.NAMES.get(Covariates.FIRST - 1)).isEqualTo("prior");
    assertThat(of(FOUR_PRODUCTS)[Covariates.FIRST - 1]).isEqualTo(3);
  }

  @Test
  void tellWhatALayerAndASampleHave() {
    float[] vector = of(FOUR_PRODUCTS);
    // 4,000 parameters over 4 products; 80,000 operations over 2 samples and 4 products
    assertThat(named(vector, "parameters a layer")).isCloseTo(Math.log1p(1_000), within(1e-5));
    assertThat(named(vector, "multiply-accumulates a sample and layer"))
        .isCloseTo(Math.log1p(10_000), within(1e-5));
    // 8 MiB over 8; 4 MiB over 8; 4 and 2 MiB over 2
    assertThat(named(vector, "activation bytes a sample and layer"))
        .isCloseTo(Math.log1p(1 << 20), within(1e-5));
    assertThat(named(vector, "saved bytes a sample and layer"))
        .isCloseTo(Math.log1p(1 << 19), within(1e-5));
    assertThat(named(vector, "saved bytes a sample")).isCloseTo(Math.log1p(1 << 21), within(1e-5));
    assertThat(named(vector, "bytes of the largest convolution a sample"))
        .isCloseTo(Math.log1p(1 << 20), within(1e-5));
    // in MiB: 4 and 2; a quarter and a half of the outputs
    assertThat(named(vector, "saved bytes")).isCloseTo(Math.log1p(4), within(1e-5));
    assertThat(named(vector, "bytes of the largest convolution"))
        .isCloseTo(Math.log1p(2), within(1e-5));
    assertThat(named(vector, "largest convolution over activations"))
        .isCloseTo(Math.log1p(0.25), within(1e-5));
    assertThat(named(vector, "saved over activations")).isCloseTo(Math.log(0.5), within(1e-3));
  }

  /** Perceptrons lie among each other as they did before. */
  @Test
  void tellNothingOfConvolutionsWhereThereAreNone() {
    ModelFeatures perceptron =
        new ModelFeatures(
            new LayerCounts(0, 0, 0, 0),
            0,
            0,
            MemorySize.ZERO,
            0,
            MemorySize.ZERO,
            MemorySize.ZERO,
            1);
    float[] vector = of(perceptron);
    for (int i = Covariates.FIRST; i < Covariates.PLACED; i++) {
      assertThat(vector[i]).isZero();
    }
    for (float value : vector) {
      assertThat(value).isFinite();
    }
  }

  @Test
  void areAllLookedAtWhereManyRunsMeasureUtilization() {
    HybridRegression many = fit(Target.UTILIZATION, 520);
    assertThat(many.landmarks().centre()).hasSize(Covariates.PLACED);
    assertThat(many.trees().features()).isEqualTo(Covariates.count());
    HybridRegression few = fit(Target.UTILIZATION, 80);
    assertThat(few.landmarks().centre()).hasSize(Covariates.FIRST);
    assertThat(few.trees().features()).isEqualTo(Covariates.FIRST);
    HybridRegression memory = fit(Target.PEAK_MEMORY, 520);
    assertThat(memory.landmarks().centre()).hasSize(Covariates.FIRST);
    assertThat(memory.trees().features()).isEqualTo(Covariates.FIRST);
  }

  private static HybridRegression fit(Target target, int rows) {
    List<ProfileRow> measured = SyntheticRuns.result(rows, "a100-40gb", 5).rows();
    MeasuredRuns runs = MeasuredRuns.of(target, measured, DeviceCatalogue.builtIn());
    return new HybridLearner(HybridFit.belief(target), new ResidualBoosting(), 1)
        .fit(runs.sample());
  }
}
