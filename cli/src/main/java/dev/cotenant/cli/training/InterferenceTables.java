package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.datasets.Importers;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.colocation.SoloLatency;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.evaluation.interference.InterferenceEvaluation;
import dev.cotenant.features.FeatureExtractor;
import dev.cotenant.features.GraphBinding;
import dev.cotenant.features.OnnxGraphReader;
import dev.cotenant.features.ReaderLimits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** How wrong interference models are on measured colocations. */
final class InterferenceTables {
  static final String TASK = "interference";

  private InterferenceTables() {}

  /** The standing tables on these sets, or on those under the data folder where none is named. */
  static List<EvaluationRow> standing(List<String> data, Console console) {
    List<String> sets = DataSets.orPublished(data, Importers.COLOCATIONS);
    ColocationRows read = new DataSets(console).colocations(sets);
    return new InterferenceEvaluation().evaluate(read, graphs(read.solo()));
  }

  /** Models that learned from {@code train}, tested on {@code test}. */
  static List<EvaluationRow> given(List<String> train, List<String> test, Console console) {
    DataSets sets = new DataSets(console);
    ColocationRows shown = sets.colocations(train);
    ColocationRows hidden = sets.colocations(test);
    return new InterferenceEvaluation().evaluate(shown, hidden);
  }

  /** Graphs of the models that were run alone, where the data folder has them. */
  private static Map<String, GraphFeatures> graphs(List<SoloLatency> runs) {
    return PublishedData.graphs().map(folder -> graphs(runs, folder)).orElse(Map.of());
  }

  /** The graphs NAME.b1.onnx of a folder. */
  static Map<String, GraphFeatures> graphs(List<SoloLatency> runs, Path folder) {
    Map<String, GraphFeatures> graphs = new TreeMap<>();
    FeatureExtractor extractor = new FeatureExtractor();
    OnnxGraphReader reader = new OnnxGraphReader(ReaderLimits.DEFAULT);
    for (String model : new TreeSet<>(runs.stream().map(SoloLatency::model).toList())) {
      Path file = folder.resolve(model + ".b1.onnx").normalize();
      if (file.startsWith(folder.normalize()) && Files.isRegularFile(file)) {
        graphs.put(model, extractor.extract(reader.read(file), GraphBinding.NONE));
      }
    }
    return graphs;
  }
}
