package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.datasets.Importers;
import dev.cotenant.domain.testing.OutsideData;
import dev.cotenant.evaluation.llm.LlmEvaluation;
import dev.cotenant.evaluation.llm.LlmFigures;
import dev.cotenant.llm.MeasuredRuns;
import dev.cotenant.llm.fit.FamilyBound;
import dev.cotenant.llm.inference.GenerationBounds;
import dev.cotenant.llm.inference.GenerationFormula;
import dev.cotenant.llm.serving.Parallelism;
import dev.cotenant.llm.serving.ServingBounds;
import dev.cotenant.llm.serving.ServingCoefficients;
import dev.cotenant.llm.serving.ServingFit;
import dev.cotenant.llm.tuning.TuningBounds;
import dev.cotenant.llm.tuning.TuningFormula;
import dev.cotenant.llm.tuning.TuningStack;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bars of docs/language-models.md and what is shipped, on the published measurements. */
class LlmBarsTest {
  private static final double GIB = 1L << 30;
  private static final int BARS = 17;

  private static MeasuredRuns published() {
    Path folder = OutsideData.require("data/llm");
    return Importers.LANGUAGE_MODELS.open("llm:" + folder).read(List.of()).runs();
  }

  @Test
  void reachesEveryBar() {
    List<LlmFigures> figures =
        new LlmEvaluation(published(), MeasuredRuns.NONE)
            .evaluate().stream().filter(line -> !line.result().isEmpty()).toList();
    assertThat(figures).hasSize(BARS);
    assertThat(figures)
        .allSatisfy(line -> assertThat(line.result()).as("%s", line).isIn("reached", "stretch"));
  }

  @Test
  void shippedCoefficientsAreThoseOfThePublishedStarts() {
    ServingCoefficients fit = ServingFit.of(published().serving());
    ServingCoefficients shipped = ServingCoefficients.SHIPPED;
    assertThat(shipped.logitBytes()).isCloseTo(fit.logitBytes(), within(0.01));
    assertThat(shipped.forward()).isCloseTo(fit.forward(), within(0.001));
    assertThat(shipped.experts()).isCloseTo(fit.experts(), within(0.001));
    assertThat(shipped.visionBytes()).isCloseTo(fit.visionBytes(), within(0.001 * GIB));
    for (Parallelism kind : Parallelism.values()) {
      assertThat(shipped.nonTorchBytes().get(kind))
          .isCloseTo(fit.nonTorchBytes().getOrDefault(kind, 0.0), within(0.001 * GIB));
      assertThat(shipped.contextBytes().get(kind))
          .isCloseTo(fit.contextBytes().getOrDefault(kind, 0.0), within(0.001 * GIB));
    }
    assertThat(shipped.graphBytes()).containsExactly(fit.graphBytes(), within(0.001 * GIB));
  }

  @Test
  void shippedBoundsAreThoseOfThePublishedRuns() {
    MeasuredRuns runs = published();
    ServingBounds serving = ServingBounds.of(runs.serving());
    same(ServingBounds.SHIPPED.allButKv(), serving.allButKv(), 0.002 * GIB);
    same(ServingBounds.SHIPPED.overhead(), serving.overhead(), 0.002 * GIB);
    same(ServingBounds.SHIPPED.outside(), serving.outside(), 0.002 * GIB);
    serving
        .parts()
        .forEach((part, bound) -> same(ServingBounds.SHIPPED.of(part), bound, 0.002 * GIB));
    TuningBounds tuning = TuningBounds.of(runs.tuning());
    for (TuningStack stack : TuningStack.values()) {
      same(TuningBounds.SHIPPED.of(stack), tuning.of(stack), 0.001);
      double[] shipped = TuningFormula.SHIPPED.coefficients(stack);
      double[] fit = TuningFormula.of(runs.tuning()).coefficients(stack);
      for (int i = 0; i < fit.length; i++) {
        assertThat(shipped[i]).isCloseTo(fit[i], within(Math.abs(fit[i]) * 0.001 + 1e-3));
      }
    }
  }

  @Test
  void shippedGenerationIsThatOfThePublishedRuns() {
    MeasuredRuns runs = published();
    GenerationFormula fit = GenerationFormula.of(runs.generation());
    fit.constants()
        .forEach((release, bytes) ->
            assertThat(GenerationFormula.SHIPPED.constants().get(release))
                .isCloseTo(bytes, within(0.001 * GIB)));
    GenerationBounds bounds = GenerationBounds.of(runs.generation());
    bounds
        .byGroup()
        .forEach((group, bound) ->
            same(
                java.util.Objects.requireNonNull(GenerationBounds.SHIPPED.byGroup().get(group)),
                bound,
                0.001));
  }

  private static void same(FamilyBound shipped, FamilyBound fit, double tolerance) {
    assertThat(shipped.worst()).hasSameSizeAs(fit.worst());
    for (int i = 0; i < fit.worst().size(); i++) {
      assertThat(shipped.worst().get(i)).isCloseTo(fit.worst().get(i), within(tolerance));
    }
  }
}
