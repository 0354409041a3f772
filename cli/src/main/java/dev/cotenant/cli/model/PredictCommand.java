package dev.cotenant.cli.model;

import dev.cotenant.cli.model.PredictionTable.Row;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.graph.GraphFeatures;
import dev.cotenant.domain.prediction.Prediction;
import dev.cotenant.domain.prediction.Predictions;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.workload.RunSettings;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.model.CoverageLevel;
import dev.cotenant.engine.view.PredictionView;
import dev.cotenant.features.GraphBinding;
import dev.cotenant.features.ModelGraph;
import dev.cotenant.llm.source.ModelReader;
import dev.cotenant.predictor.model.PredictionRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Predictions of models on a device. */
@Command(
    name = "predict",
    mixinStandardHelpOptions = true,
    description = {
      "Predicts GPU utilization and peak memory of ONNX models on a device.",
      "For a language model (a Hugging Face folder, config.json or a GGUF file), or a pod that"
          + " runs one: memory by engine and settings."
    })
public final class PredictCommand implements Callable<Integer> {
  private static final String ALL_DEVICES = "all";

  private final Console console;
  private final Supplier<Engine> engine;
  private final Set<@Nullable String> noted = new HashSet<>();

  @Mixin private GraphOptions options = new GraphOptions();

  @Option(
      names = "--device",
      required = true,
      paramLabel = "ID",
      description = "A GPU of 'cotenant devices', or 'all': the shortest step first.")
  private String device = "";

  @Option(
      names = "--batches",
      paramLabel = "N",
      split = ",",
      description = "Several batches, such as 1,8,64, in place of --batch: an answer for each.")
  private List<Integer> batches = List.of();

  @Mixin private SettingsOptions settings = new SettingsOptions();

  @Mixin private EngineOptions engineOptions = new EngineOptions();

  @Mixin private UrlOptions urls = new UrlOptions();

  @Option(
      names = "--coverage",
      paramLabel = "SHARE",
      defaultValue = "0.9",
      description = "Share of cases in which each bound has to hold, such as 0.8; 0.9 by default.")
  private double coverage;

  @Option(
      names = "--regressor",
      paramLabel = "MANIFEST",
      description =
          "Your own ONNX regressor instead of the shipped one; repeatable, one for each target.")
  private List<Path> regressors = List.of();

  public PredictCommand(Console console, Supplier<Engine> engine) {
    this.console = console;
    this.engine = engine;
  }

  @Override
  public Integer call() {
    Path pod = engineOptions.pod();
    if (pod != null) {
      engineOptions.requireNoneBesideAPod(options.files());
      engineOptions.requireNoneBesideAPod(urls.models());
    }
    if (pod != null || areLanguageModels(options.files())) {
      if (!batches.isEmpty()) {
        throw InputException.invalidArgument(
            "conflicting-arguments", "--batches is for ONNX models; vLLM has --max-num-seqs.");
      }
      LanguageModelPredictions predictions =
          new LanguageModelPredictions(
              console,
              engineOptions,
              urls,
              options.json(),
              CoverageLevel.of(coverage, "--coverage"),
              settings.settings().load());
      Device on = engine.get().devices().require(device);
      return pod == null ? predictions.predict(options.files(), on) : predictions.predict(pod, on);
    }
    options.requireFiles();
    engineOptions.requireNoneBesideGraphs(options.files());
    return predictGraphs();
  }

  private boolean areLanguageModels(List<Path> files) {
    for (Path file : files) {
      if (file.toString().matches("https?:/.*")) {
        throw InputException.invalidArgument(
            "model-url-refused",
            "A URL is not a FILE: name it with --model-url, below an --allow-url.");
      }
    }
    boolean any = !urls.models().isEmpty() || files.stream().anyMatch(ModelReader::reads);
    if (any && !files.stream().allMatch(ModelReader::reads)) {
      throw InputException.invalidArgument(
          "conflicting-arguments",
          "ONNX files and language models are mixed; predict them by separate commands.");
    }
    return any;
  }

  private int predictGraphs() {
    List<GraphBinding> bindings = options.bindings(batches);
    RunSettings run = settings.settings();
    Collection<Device> devices = devices(run);
    Coverage level = CoverageLevel.of(coverage, "--coverage");
    List<Row> rows = new ArrayList<>();
    try (Regressors own = Regressors.load(regressors, engine.get().devices())) {
      int exitCode =
          new FileByFile(console, options.json())
              .each(
                  options.files(),
                  file -> {
                    noted.clear();
                    ModelGraph graph = engine.get().reader().read(file);
                    for (GraphBinding binding : bindings) {
                      predictions(engine.get().inspect(graph, binding), run, level, devices, own)
                          .forEach(prediction -> answer(new Row(file, prediction), rows));
                    }
                  });
      new PredictionTable(console).print(rows);
      if (exitCode == 0 && !device.equals(ALL_DEVICES)) {
        noteOthers(devices.iterator().next());
      }
      return exitCode;
    }
  }

  private Collection<Device> devices(RunSettings run) {
    DeviceCatalogue catalogue = engine.get().devices();
    if (!device.equals(ALL_DEVICES)) {
      Device on = catalogue.require(device);
      on.requirePrecision(run.precision());
      return List.of(on);
    }
    return catalogue.devices();
  }

  /** A name such as A100 is that of several products. */
  private void noteOthers(Device chosen) {
    if (chosen.id().value().equals(device)) {
      return;
    }
    String name = device.toLowerCase(Locale.ROOT) + "-";
    List<String> others =
        engine.get().devices().devices().stream()
            .map(each -> each.id().value())
            .filter(id -> id.startsWith(name) && !id.equals(chosen.id().value()))
            .sorted()
            .toList();
    if (!others.isEmpty()) {
      console.note(
          device
              + " is read as "
              + chosen.id().value()
              + "; there is "
              + String.join(", ", others)
              + ", too.");
    }
  }

  /** Predictions on each device, the shortest step first; on all devices errors become notes. */
  private List<Prediction> predictions(
      GraphFeatures features,
      RunSettings run,
      Coverage level,
      Collection<Device> devices,
      Regressors own) {
    List<Prediction> predictions = new ArrayList<>();
    for (Device on : devices) {
      try {
        on.requirePrecision(run.precision());
        Prediction shipped =
            engine
                .get()
                .predict(features, PredictionRequest.of(features.model(), run, on).at(level))
                .requirePossible();
        predictions.add(own.answer(shipped, features.model(), on).warnedOf(on.memory()));
      } catch (InputException e) {
        if (devices.size() == 1) {
          throw e;
        }
        if (noted.add(e.getMessage())) { // once for all batches
          console.note(e.getMessage());
        }
      }
    }
    predictions.sort(Predictions.BY_STEP_TIME);
    return predictions;
  }

  private void answer(Row row, List<Row> rows) {
    if (options.json()) {
      console.json(PredictionView.ofFile(row.file().toString(), row.prediction()));
    } else {
      rows.add(row);
    }
  }
}
