package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.datasets.Importers;
import dev.cotenant.datasets.named.LicenceScope;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.evaluation.EvaluationRow;
import dev.cotenant.domain.graph.ModelFeatures;
import dev.cotenant.domain.profile.ProfileRow;
import dev.cotenant.domain.profile.ProfileSource;
import dev.cotenant.evaluation.shareability.HeldOutFamilies;
import dev.cotenant.evaluation.shareability.InferenceBounds;
import dev.cotenant.evaluation.shareability.Shareability;
import dev.cotenant.features.FeatureExtractor;
import dev.cotenant.features.GraphBinding;
import dev.cotenant.features.ModelGraph;
import dev.cotenant.features.OnnxGraphReader;
import dev.cotenant.features.ReaderLimits;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.predictor.train.TrainingSettings;
import dev.cotenant.zoo.ModelZoo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** How many workloads may share by the shipped predictor, and how often its kind of bounds hold. */
final class ShareabilityTables {
  static final String TASK = Shareability.TASK;

  private static final int[] BATCHES = {1, 2, 4, 8, 16, 32, 64, 128, 256};

  private ShareabilityTables() {}

  /**
   * The shares, and the coverage on the rows of sets where there are some.
   *
   * @param data sets that trainings learn from, with a family held out at a time, and sets of step
   *     times, by which bounds of inference are judged
   * @param test sets that no training sees
   */
  static List<EvaluationRow> of(
      DataOptions data, List<String> test, DeviceCatalogue devices, Console console) {
    List<EvaluationRow> table =
        new ArrayList<>(new Shareability(Predictor.builtIn(), devices).evaluate(zoo()));
    Map<Boolean, List<String>> named =
        data.data().stream().collect(Collectors.partitioningBy(Importers.STEP_TIMES::reads));
    List<String> times = named.getOrDefault(true, List.of());
    List<String> runs = named.getOrDefault(false, List.of());
    if (!times.isEmpty()) {
      table.addAll(InferenceBounds.evaluate(new StepTimeTables(console).read(times)));
    }
    if (!runs.isEmpty()) {
      DataSets sets = new DataSets(console);
      List<ProfileSource.Result> learned = sets.runs(runs, LicenceScope.COMMERCIAL, devices);
      List<ProfileRow> aside =
          test.isEmpty()
              ? List.of()
              : sets.runs(test, LicenceScope.ANY, devices).stream()
                  .flatMap(set -> set.rows().stream())
                  .toList();
      try (Progress progress = console.progress("Holding families out")) {
        table.addAll(
            new HeldOutFamilies(devices, TrainingSettings.standard(data.seed()))
                .evaluate(learned, aside, Steps.shownOn(progress)));
      }
    }
    return table;
  }

  private static List<ModelFeatures> zoo() {
    OnnxGraphReader reader = new OnnxGraphReader(ReaderLimits.DEFAULT);
    FeatureExtractor extractor = new FeatureExtractor();
    List<ModelFeatures> models = new ArrayList<>();
    for (String name : ModelZoo.names()) {
      ModelGraph graph = reader.read(ModelZoo.build(name), name);
      for (int batch : BATCHES) {
        models.add(extractor.extract(graph, new GraphBinding(batch, Map.of())).model());
      }
    }
    return models;
  }
}
