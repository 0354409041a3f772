package dev.cotenant.llm.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.serving.ServingRun.Measured;
import dev.cotenant.llm.source.ModelFolder;
import dev.cotenant.llm.source.ModelReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StartEvidenceTest {
  private static final double GIB = 1L << 30;
  private static final double CARD = 80 * GIB;
  private static final ServingCard H100 = new ServingCard("h100-80gb", 79.19 * GIB);
  private static final VllmSettings SETTINGS = VllmSettings.of(new VllmVersion(0, 19));

  @TempDir private Path folder = Path.of("");

  @SuppressWarnings("NullAway.Init") // before each test
  private LanguageModel model;

  @SuppressWarnings("NullAway.Init") // before each test
  private ServingParts parts;

  @BeforeEach
  void read() throws IOException {
    model = ModelReader.standard().read(ModelFolder.write(folder, ModelFolder.LLAMA));
    parts = ServingParts.of(ServingCoefficients.SHIPPED, model, SETTINGS, H100);
  }

  private ServingRun run(Measured measured) {
    return new ServingRun(
        "x",
        "x",
        model,
        SETTINGS,
        H100,
        measured,
        new ServingRun.Planner(Double.NaN, Double.NaN, Double.NaN, Double.NaN));
  }

  private static Measured tokens(double tokens) {
    double unknown = Double.NaN;
    return new Measured(unknown, unknown, unknown, unknown, unknown, unknown, unknown, tokens);
  }

  /** A release whose activations take a gibibyte more has a pool that is a gibibyte smaller. */
  @Test
  void tokensOfThePoolTellActivationsAndUsedMemoryTellsTheContext() {
    double pool = parts.kvCache() - GIB;
    ServingRun completed =
        StartEvidence.completed(
            run(tokens(pool / parts.kvPerToken())), parts.process() + 0.25 * GIB);

    Measured found = completed.measured();
    assertThat(found.activation()).isCloseTo(parts.activation() + GIB, within(1e6));
    assertThat(found.context()).isCloseTo(parts.context() + 0.25 * GIB, within(1e6));
    assertThat(StartEvidence.problem(completed, completed, CARD)).isNull();
    LearnedServing learned = LearnedServing.NONE.with(List.of(completed));
    assertThat(learned.releases().getFirst().learned().logitBytes())
        .isGreaterThan(ServingCoefficients.SHIPPED.logitBytes());
  }

  @ParameterizedTest
  @CsvSource({
    "0.5, 1, 1, 1, its weights take",
    "1, 0.5, 1, 1, its KV cache holds",
    "1, 1, 0, 1, its activations take",
    "1, 1, 1, 40, its parts sum to",
    "NaN, 1, 1, 1, it states no weights",
  })
  void whatDisagreesWithArithmeticIsNamed(
      double weights, double tokens, double activation, double context, String problem) {
    Measured measured =
        new Measured(
            context * parts.context(),
            weights * parts.weights(),
            activation * parts.activation(),
            parts.nonTorch(),
            parts.graphs(),
            Double.NaN,
            parts.kvCache(),
            tokens * parts.kvCache() / parts.kvPerToken());
    assertThat(StartEvidence.problem(run(measured), run(measured), CARD)).contains(problem);
  }

  @Test
  void aContextThatCannotBeIsUnknown() {
    double pool = parts.kvCache() / parts.kvPerToken();
    for (double process : new double[] {parts.process() - GIB, parts.process() + 5 * GIB}) {
      Measured found = StartEvidence.completed(run(tokens(pool)), process).measured();
      assertThat(found.context()).isNaN();
      assertThat(found.activation()).isPositive();
    }
  }

  /** A fixed number of blocks or a product's limit of memory leaves a small pool too. */
  @Test
  void aPoolThatIsFarTooSmallProvesNoActivations() {
    ServingRun stated = run(tokens((parts.kvCache() - 4.5 * GIB) / parts.kvPerToken()));
    ServingRun completed = StartEvidence.completed(stated, Double.NaN);
    assertThat(StartEvidence.problem(stated, completed, CARD)).contains("for activations");
    assertThat(StartEvidence.problem(completed, completed, CARD)).isNull(); // a log states it
  }

  @Test
  void aStartThatStatesNothingProvesNothing() {
    double unknown = Double.NaN;
    ServingRun run =
        run(
            new Measured(
                unknown, parts.weights(), unknown, unknown, unknown, unknown, 1e9, unknown));
    assertThat(StartEvidence.problem(run, run, CARD)).contains("it states no context");
  }

  @ParameterizedTest
  @CsvSource({"0.19, true", "0.35, true", "0.36, false", "0.2, false", "1.3, true", "7.1, false"})
  void releasesFarFromTheKnownOnesAreRefused(String text, boolean near) {
    assertThat(VllmVersion.of(text).isNear()).isEqualTo(near);
  }

  /** However a namespace lies, its servers are never predicted below weights and a context. */
  @ParameterizedTest
  @ValueSource(doubles = {-1e15, -1, 0, 1e15})
  void lyingStartsMoveConstantsWithinBounds(double lie) {
    LearnedServing learned = LearnedServing.NONE;
    for (int i = 0; i < 50; i++) {
      Measured measured =
          new Measured(lie + i, parts.weights(), lie + i, lie + i, lie + i, 0, 1e9, Double.NaN);
      learned = learned.with(List.of(run(measured)));
    }
    ServingCoefficients coefficients = learned.releases().getFirst().learned();
    ServingParts predicted = ServingParts.of(coefficients, model, SETTINGS, H100);

    assertThat(predicted.withoutKv()).isGreaterThanOrEqualTo(parts.weights() + parts.context());
    assertThat(predicted.nonTorch()).isBetween(0.0, 5 * GIB);
    assertThat(predicted.context()).isBetween(parts.context(), parts.context() + 4.01 * GIB);
    assertThat(predicted.graphs()).isBetween(0.0, parts.graphs() + 4.01 * GIB);
    assertThat(coefficients.logitBytes()).isBetween(0.0, 64.0);
  }

  @Test
  void constantsAreReadAsTheyWereWritten() {
    ServingConstants constants =
        new ServingConstants(
            12.5,
            -1e8,
            Map.of(
                Parallelism.NONE, 1e8,
                Parallelism.TENSOR, 2e9,
                Parallelism.EXPERTS, 3e9,
                Parallelism.PIPELINE, 0.0),
            Map.of(
                Parallelism.NONE, 5e8,
                Parallelism.TENSOR, 1.5e9,
                Parallelism.EXPERTS, 2e9,
                Parallelism.PIPELINE, 1e9));
    assertThat(ServingConstants.read(constants.write(), "0.24")).isEqualTo(constants);
    assertThat(ServingConstants.of(constants.coefficients(new VllmVersion(0, 24))))
        .isEqualTo(constants);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{}",
        "{\"logit_bytes\": \"x\"}",
        "{\"logit_bytes\": 1e300, \"cuda_graph_constant_bytes\": 1}"
      })
  void refusesOtherConstants(String json) {
    assertThatThrownBy(() -> ServingConstants.read(json, "0.24"))
        .isInstanceOf(InputException.class)
        .hasMessageNotContaining("\n");
  }
}
