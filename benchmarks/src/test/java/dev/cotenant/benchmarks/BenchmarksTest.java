package dev.cotenant.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.features.FeatureExtractor;
import dev.cotenant.features.GraphBinding;
import dev.cotenant.features.OnnxGraphReader;
import dev.cotenant.features.ReaderLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Every benchmark sets up and runs once; every sample is the model that it stands for. */
class BenchmarksTest {
  /** The plain one sets up all limits. */
  private static final String OTHER_DECISIONS = "DecisionBenchmark[.](?!decide$).*";

  private static ChainedOptionsBuilder once() {
    return new OptionsBuilder()
        .forks(0)
        .mode(Mode.SingleShotTime)
        .warmupIterations(0)
        .measurementIterations(1)
        .param("rows", "100")
        .shouldFailOnError(true)
        .verbosity(VerboseMode.SILENT);
  }

  /** With each of their parameters; other decisions than the plain one with one of its limits. */
  @Test
  void runEachOnce() throws RunnerException {
    Collection<RunResult> results =
        new ArrayList<>(new Runner(once().exclude(OTHER_DECISIONS).build()).run());
    results.addAll(
        new Runner(once().include(OTHER_DECISIONS).param("limits", "partitions").build()).run());
    verify(results);
    assertThat(results)
        .filteredOn(result -> result.getParams().getParam("limits") != null)
        .extracting(result -> result.getParams().getBenchmark().replaceAll(".*[.]", ""))
        .contains("decide", "decideAfterOneChange", "decideAmongFewNodes")
        .contains("decideOnNewSnapshot", "prepareNewSnapshot");
  }

  @Test
  @Tag("long")
  void runEachOnceWithEveryParameter() throws RunnerException {
    verify(new Runner(once().build()).run());
  }

  private static void verify(Collection<RunResult> results) {
    assertThat(results)
        .extracting(result -> result.getParams().getBenchmark().replaceAll(".*\\.", ""))
        .contains("readAndExtract", "loadOptimized", "loadUnoptimized", "refresh")
        .contains("surface", "igniter", "placeAndEvaluate")
        .contains("boostedTrees", "boostedTreesWithBound", "smileForest", "fit", "searchAndFit")
        .contains("predictWithBounds", "loadPredictor", "loadFirst", "findAndLoadFirst");
    assertThat(ResultTable.of(results).toString()).contains("resnet50 ");
  }

  @Test
  void writesEverySampleThatItOffers(@TempDir Path folder) throws IOException {
    OnnxGraphReader reader = new OnnxGraphReader(ReaderLimits.DEFAULT);
    for (String label : Sample.available()) {
      Path file = Sample.of(label).write(folder);
      GraphFeatures features = new FeatureExtractor().extract(reader.read(file), GraphBinding.NONE);
      assertThat(features.shapeCoverage()).as(label).isEqualTo(1.0);
      assertThat(features.operators())
          .as(label)
          .isGreaterThanOrEqualTo(Math.max(100, Sample.of(label).chainedNodes()));
    }
  }

  @Test
  void fillsInAllWeights(@TempDir Path folder) throws IOException {
    // 109,482,240 parameters of BERT-base with its pooler and 4 bytes each; more with biases that
    // were folded. The file must hold them all.
    Path file = Sample.BERT_BASE_WEIGHTS.write(folder);
    assertThat(Files.size(file)).isBetween(437_000_000L, 440_000_000L);
  }
}
