package dev.cotenant.evaluation.predictor;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.evaluation.learner.Learners;
import dev.cotenant.learning.trees.TreeLearner;
import dev.cotenant.predictor.Predictor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The card of the shipped predictor, and what a card shows of a few figures. */
class ModelCardTest {
  private static final Path DOCS =
      Path.of(System.getProperty("cotenant.root"), "docs").toAbsolutePath();

  @TempDir private Path folder;

  /**
   * {@code docs/model-card.*} are what {@code train} writes for the shipped predictor and the
   * figures in {@code model-card.csv}; {@code -Dcotenant.docs.write=true} writes them again.
   */
  @Test
  void isThePageOfTheShippedPredictorAndItsFigures() throws IOException {
    ModelCard card = new ModelCard(Predictor.builtIn(), figures(DOCS.resolve("model-card.csv")));
    if (Boolean.getBoolean("cotenant.docs.write")) {
      card.writeTo(DOCS);
    }

    for (Path written : card.writeTo(folder)) {
      assertThat(written).hasSameTextualContentAs(DOCS.resolve(written.getFileName()));
    }
  }

  @Test
  void comparesEveryLearnerThatTrainOffers() {
    assertThat(DOCS.resolve("model-card.md"))
        .content()
        .contains(
            Learners.all().stream()
                .map(TreeLearner::name)
                .flatMap(name ->
                    Stream.of("| utilization | " + name + " |", "| memory | " + name + " |"))
                .toList());
  }

  @Test
  void theReadmeShowsItsFigures() throws IOException {
    Path readme = DOCS.resolveSibling("README.md");

    assertThat(readme)
        .content()
        .contains(
            "| "
                + shown(
                    "utilization,random-5fold/clean/gpumemnet,hybrid,rmsle",
                    "utilization,topology-out/clean/gpumemnet,hybrid,rmsle",
                    "utilization,mlp-to-cnn/clean,hybrid,rmsle",
                    "utilization,cnn-to-mlp/clean,hybrid,rmsle")
                + " |",
            "| – / – / "
                + shown(
                    "utilization,mlp-to-cnn-10shot/clean,hybrid,rmsle",
                    "utilization,cnn-to-mlp-10shot/clean,hybrid,rmsle")
                + " |",
            "without / with suspected crashes | "
                + shown(
                    "utilization,utilpred-81/clean/gpumemnet,hybrid,rmsle",
                    "utilization,utilpred-81/all/gpumemnet,hybrid,rmsle")
                + "; a random forest on the same draws "
                + shown(
                    "utilization,utilpred-81/clean/gpumemnet,forest,rmsle",
                    "utilization,utilpred-81/all/gpumemnet,forest,rmsle")
                + " |",
            "| a held-out device | "
                + shown("utilization,device-out/clean,hybrid,rmsle")
                + "; a line on the roofline time "
                + shown("utilization,device-out/clean,roofline,rmsle")
                + " |",
            "| "
                + shown(
                    "memory,random-5fold/clean/gpumemnet,hybrid,rmsle/mlp",
                    "memory,random-5fold/clean/gpumemnet,hybrid,rmsle/cnn")
                + " |");
  }

  /** Figures of the card by the first cells of their rows, with three decimals. */
  private static String shown(String... rows) throws IOException {
    List<String> lines = Files.readAllLines(DOCS.resolve("model-card.csv"));
    return Stream.of(rows)
        .map(row ->
            lines.stream().filter(line -> line.startsWith(row + ",")).findFirst().orElseThrow())
        .map(line -> String.format(Locale.ROOT, "%.3f", figure(line).value()))
        .collect(joining(" / "));
  }

  private static List<EvaluationRow> figures(Path file) throws IOException {
    return Files.readAllLines(file).stream().skip(1).map(ModelCardTest::figure).toList();
  }

  private static EvaluationRow figure(String line) {
    String[] cells = line.split(",", -1);
    return new EvaluationRow(
        cells[0],
        cells[1],
        cells[2],
        cells[3],
        Double.parseDouble(cells[4]),
        Double.parseDouble(cells[5]),
        Double.parseDouble(cells[6]),
        Double.parseDouble(cells[7]),
        Integer.parseInt(cells[8]),
        Integer.parseInt(cells[9]),
        cells[10].isEmpty() ? null : Double.valueOf(cells[10]));
  }

  @Test
  void showsTheBestOfTheSimpleBaselinesBesideThePredictor() {
    String card =
        new ModelCard(
                Predictor.builtIn(),
                List.of(
                    figure("memory,device-out/clean,hybrid,rmsle,0.1,0,0.1,0.1,12,1,"),
                    figure("memory,device-out/clean,hybrid,median_ape,0.043,0,0.043,0.043,12,1,"),
                    figure("memory,device-out/clean,forest,rmsle,0.4,0,0.4,0.4,12,1,"),
                    figure("memory,device-out/clean,constant,rmsle,0.7,0,0.7,0.7,12,1,"),
                    figure("memory,device-out/clean,roofline,rmsle,0.2,0,0.2,0.2,12,1,"),
                    figure("memory,device-out/all,analytic,rmsle,0.15,0,0.15,0.15,12,1,")))
            .toMarkdown();

    assertThat(card)
        .contains("| memory | one device | 12 | 0.100 |  | 0.400 | 0.200 roofline | 4.3 % |  |\n")
        .doesNotContain("| utilization |");
  }

  @Test
  void keepsFiguresOfTheDrawingOnTheAxis() throws IOException {
    new ModelCard(
            Predictor.builtIn(),
            List.of(figure("memory,device-out/clean,hybrid,rmsle,5,0,5,5,12,1,")))
        .writeTo(folder);

    assertThat(folder.resolve("model-card.svg")).content().contains("<circle cx=\"790.0\"");
  }
}
