package dev.cotenant.llm.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.cotenant.domain.InputException;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.source.ModelFolder;
import dev.cotenant.llm.source.ModelReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LearnedServingTest {
  private static final double GIB = 1L << 30;
  private static final VllmVersion NEW = new VllmVersion(0, 24);
  private static final ServingCard CARD = new ServingCard("h100-80gb", 79.19 * GIB);

  @TempDir private Path folder = Path.of("");

  /** A start whose graphs and context are so much larger than the shipped coefficients say. */
  private ServingRun run(int number, double moreGraphs, double moreContext) throws IOException {
    return run(number, moreGraphs, moreContext, VllmSettings.of(NEW));
  }

  private ServingRun run(int number, double moreGraphs, double moreContext, VllmSettings settings)
      throws IOException {
    LanguageModel model = ModelReader.standard().read(ModelFolder.write(folder, ModelFolder.LLAMA));
    ServingParts parts =
        ServingParts.of(ServingCoefficients.SHIPPED.of(NEW), model, settings, CARD);
    return new ServingRun(
        "x.log:" + number,
        "a",
        model,
        settings,
        CARD,
        new ServingRun.Measured(
            parts.context() + moreContext * GIB,
            parts.weights(),
            parts.activation(),
            parts.nonTorch(),
            parts.graphs() + (moreGraphs + 0.001 * number) * GIB,
            Double.NaN,
            parts.kvCache(),
            1000),
        new ServingRun.Planner(Double.NaN, Double.NaN, Double.NaN, Double.NaN));
  }

  private LearnedServing learned(int starts, double moreGraphs) throws IOException {
    LearnedServing learned = LearnedServing.NONE;
    for (int i = 0; i < starts; i++) {
      learned = learned.with(List.of(run(i, moreGraphs, 0.2)));
    }
    return learned;
  }

  private static double graphs(ServingCoefficients coefficients) {
    return coefficients.graphBytes()[0] / GIB;
  }

  @Test
  void aDriftOfARelaseIsLearnedWithShrinkage() throws IOException {
    LearnedServing learned = learned(6, 1);
    assertThat(learned.isPromoted(NEW)).isTrue();
    double drift = graphs(learned.coefficients(NEW)) - graphs(ServingCoefficients.SHIPPED);
    assertThat(drift).isCloseTo(6.0 / 8, within(0.01));
    assertThat(learned.coefficients(NEW).context(Parallelism.NONE) / GIB)
        .isCloseTo(0.51 + 0.2 * 6 / 8, within(0.001));
    assertThat(graphs(learned.coefficients(VllmVersion.MEASURED)))
        .isEqualTo(graphs(ServingCoefficients.SHIPPED));
    LearnedServing.Release release = learned.releases().getFirst();
    assertThat(release.learnedError()).isLessThan(release.shippedError());
  }

  /** A constant of graphs is one of all batches; these starts capture the few up to 32. */
  @Test
  void fewCapturedBatchesTakeTheirShareOfTheConstant() throws IOException {
    VllmSettings few = new VllmSettings(NEW, 1, 1, null, null, null, 16, null, null, false, null);
    double share = ServingAmounts.sizes(32) / ServingAmounts.sizes(512);
    LearnedServing learned = LearnedServing.NONE;
    for (int i = 0; i < 6; i++) {
      learned = learned.with(List.of(run(i, share, 0.2, few)));
    }
    double drift =
        graphs(learned.releases().getFirst().learned()) - graphs(ServingCoefficients.SHIPPED);
    assertThat(share).isLessThan(0.2);
    assertThat(drift).isCloseTo(6.0 / 8, within(0.02));
  }

  @Test
  void fewStartsPromoteNothing() throws IOException {
    assertThat(learned(3, 1).isPromoted(NEW)).isFalse();
    assertThat(learned(4, 1).isPromoted(NEW)).isTrue();
    assertThat(LearnedServing.NONE.coefficients(NEW).logitBytes())
        .isEqualTo(ServingCoefficients.SHIPPED.logitBytes());
  }

  /** Starts that state nothing prove nothing: they predict as the shipped coefficients do. */
  @Test
  void onlyStartsThatTellThemApartAreScored() throws IOException {
    LearnedServing usual = LearnedServing.NONE;
    for (int i = 0; i < 6; i++) {
      usual = usual.with(List.of(run(0, 0, 0.0001 * i)));
    }
    LearnedServing.Release release = usual.releases().getFirst();
    assertThat(release.starts()).isEqualTo(6);
    assertThat(release.scored()).isZero();
    assertThat(release.promoted()).isFalse();
  }

  @Test
  void aLogThatIsReadTwiceCountsOnce() throws IOException {
    LearnedServing once = learned(4, 1);
    assertThat(once.with(List.of(run(0, 1, 0.2), run(3, 1, 0.2))).size()).isEqualTo(4);
  }

  /** What earlier starts had in common is gone: the shipped coefficients are better again. */
  @Test
  void laterStartsRollBack() throws IOException {
    LearnedServing learned = learned(4, 1);
    List<ServingRun> usual = new ArrayList<>();
    for (int i = 4; i < 30; i++) {
      usual.add(run(i, 0, 0));
    }
    LearnedServing after = learned.with(usual);
    assertThat(after.isPromoted(NEW)).isFalse();
    assertThat(graphs(after.coefficients(NEW))).isEqualTo(graphs(ServingCoefficients.SHIPPED));
  }

  @Test
  void theFileHoldsWhatWasLearned() throws IOException {
    LearnedServing learned = learned(5, 1);
    String text = LearnedServingFile.write(learned);
    LearnedServing read =
        LearnedServingFile.read(text.getBytes(StandardCharsets.UTF_8), "constants.json");
    assertThat(LearnedServingFile.write(read)).isEqualTo(text);
    assertThat(graphs(read.coefficients(NEW))).isEqualTo(graphs(learned.coefficients(NEW)));
    assertThat(read.with(List.of(run(0, 1, 0.2))).size()).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "[]",
        "{\"format\": 2, \"starts\": []}",
        "{\"format\": 1, \"starts\": 7}",
        "{\"format\": 1, \"starts\": [7]}",
        "{\"format\": 1, \"starts\": [{}]}",
        "{\"format\": 1, \"starts\": [{\"parallelism\": \"NONE\", \"version\": \"x\"}]}",
        "{\"format\": 1, \"starts\": [{\"parallelism\": \"NONE\", \"version\": \"0.19\","
            + " \"predicted_weights\": -1}]}",
        "{\"format\": 1, \"starts\": [{\"parallelism\": \"NONE\", \"version\": \"0.19\","
            + " \"graph_feature_0\": 1e999}]}"
      })
  void refusesHostileFiles(String content) {
    assertThatThrownBy(() ->
            LearnedServingFile.read(content.getBytes(StandardCharsets.UTF_8), "constants.json"))
        .isInstanceOf(InputException.class)
        .hasMessageNotContaining("\n");
  }
}
