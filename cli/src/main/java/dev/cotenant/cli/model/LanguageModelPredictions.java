package dev.cotenant.cli.model;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.text.Table;
import dev.cotenant.engine.view.MemoryPredictionView;
import dev.cotenant.llm.MemoryPrediction;
import dev.cotenant.llm.MemoryPrediction.Bounded;
import dev.cotenant.llm.MemoryPrediction.Part;
import dev.cotenant.llm.MemoryPredictor;
import dev.cotenant.llm.Unread;
import dev.cotenant.llm.inference.GenerationSettings;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.pod.VllmArguments;
import dev.cotenant.llm.serving.ServingCard;
import dev.cotenant.llm.serving.VllmVersion;
import dev.cotenant.llm.source.ModelReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Predicts the memory of language models, by options or as a pod runs them. */
final class LanguageModelPredictions {
  private static final double GIB = 1L << 30;

  private final Console console;
  private final EngineOptions options;
  private final boolean json;
  private final MemoryPredictor predictor;

  /** A prediction with what a pod says about it. */
  private record Row(String path, MemoryPrediction prediction) {}

  private final List<Row> rows = new ArrayList<>();

  LanguageModelPredictions(Console console, EngineOptions options, boolean json, Coverage level) {
    this.console = console;
    this.options = options;
    this.json = json;
    this.predictor = new MemoryPredictor(level.fraction(), options.learnt());
  }

  /** Each file or folder on the device; the exit code. */
  int predict(List<Path> files, Device device) {
    int exitCode =
        new FileByFile(console, json)
            .each(files, file -> add(file.toString(), ofOptions(file, device), Map.of()));
    print();
    return exitCode;
  }

  private MemoryPrediction ofOptions(Path file, Device device) {
    LanguageModel model = ModelReader.standard().read(file);
    String version = options.version();
    if (options.engine().equals(EngineOptions.TRANSFORMERS)) {
      return predictor
          .generation(
              VllmArguments.modelAsRun(model, options.flags()),
              new GenerationSettings(
                  version == null
                      ? GenerationSettings.Release.LEAN
                      : GenerationSettings.Release.of(version),
                  options.promptTokens(),
                  options.generatedTokens(),
                  1),
              device.id().value())
          .within(card(device).totalBytes());
    }
    return serving(model, version, options.flags(), device, List.of());
  }

  private MemoryPrediction serving(
      LanguageModel model,
      @Nullable String version,
      Map<String, Value> flags,
      Device device,
      List<String> notes) {
    VllmArguments arguments =
        VllmArguments.of(version == null ? VllmVersion.MEASURED : VllmVersion.of(version), flags);
    List<String> unread = Stream.concat(arguments.ignored().stream(), notes.stream()).toList();
    return predictor.serving(
        VllmArguments.modelAsRun(model, flags),
        arguments.settings(),
        card(device),
        options.concurrency(),
        Unread.of(version == null && !notes.isEmpty(), unread)); // a pod's defaults are unknown
  }

  private ServingCard card(Device device) {
    Double memory = options.gpuMemory();
    ServingCard card = ServingCard.of(device);
    return memory == null ? card : new ServingCard(card.name(), memory * GIB);
  }

  /** The containers of a pod that run a language model; the exit code. */
  int predict(Path pod, Device device) {
    PodWorkloads workloads = PodWorkloads.read(pod, options.volumes());
    for (PodWorkloads.Found found : workloads.found()) {
      MemoryPrediction predicted =
          switch (found) {
            case PodWorkloads.Server(var model, var server, var settings, var notes, _) -> {
              Value version = server.version();
              yield serving(
                  model,
                  version == null ? options.version() : version.text(),
                  settings,
                  device,
                  notes);
            }
            case PodWorkloads.Tuning(var model, var arguments, var notes, _, _) ->
                predictor
                    .tuning(
                        arguments.modelAsRun(model),
                        arguments.settings(),
                        device.id().value(),
                        arguments.assumed())
                    .within(card(device).totalBytes())
                    .withWarnings(notes);
          };
      add(pod + ": " + found.container(), predicted, shown(found.values()));
    }
    print();
    return 0;
  }

  private static Map<String, MemoryPredictionView.Setting> shown(Map<String, Value> values) {
    Map<String, MemoryPredictionView.Setting> settings = new LinkedHashMap<>();
    values.forEach((name, value) ->
        settings.put(name, new MemoryPredictionView.Setting(value.text(), value.source())));
    return settings;
  }

  private void add(
      String path,
      MemoryPrediction prediction,
      Map<String, MemoryPredictionView.Setting> settings) {
    if (json) {
      console.json(MemoryPredictionView.of(path, prediction, settings));
      return;
    }
    rows.add(new Row(path, prediction));
    if (options.explain() && !settings.isEmpty()) {
      new Table<Map.Entry<String, MemoryPredictionView.Setting>>()
          .text("setting", Map.Entry::getKey)
          .text("value", entry -> entry.getValue().value())
          .text("read in", entry -> entry.getValue().source())
          .print(List.copyOf(settings.entrySet()), console);
    }
  }

  private void print() {
    if (rows.isEmpty()) {
      return;
    }
    new Table<Row>()
        .text("file", Row::path)
        .text("device", row -> row.prediction().device())
        .text("engine", row -> row.prediction().engine() + " " + row.prediction().version())
        .text("peak memory of a GPU", row -> words(row.prediction().peak()))
        .number("KV tokens", row -> tokens(row.prediction()))
        .number("sequences", row -> sequences(row.prediction()))
        .text("least that serves", row -> least(row.prediction()))
        .print(rows, console);
    if (options.explain()) {
      rows.forEach(this::explain);
    }
    for (Row row : rows) {
      row.prediction()
          .warnings()
          .forEach(warning -> console.note("warning: " + row.path() + ": " + warning));
    }
  }

  private void explain(Row row) {
    new Table<Map.Entry<String, Part>>()
        .text("part", Map.Entry::getKey)
        .number("amount", LanguageModelPredictions::amount)
        .text("rests on", entry -> entry.getValue().basis())
        .print(List.copyOf(row.prediction().parts().entrySet()), console);
    MemoryPrediction.Serving serving = row.prediction().serving();
    if (serving != null) {
      console.line(
          "--kv-cache-memory-bytes="
              + serving.leastKvCacheBytes()
              + " holds "
              + options.concurrency()
              + " sequence(s) of the longest length");
    }
  }

  private static String amount(Map.Entry<String, Part> part) {
    long amount = part.getValue().amount();
    return part.getKey().endsWith("_tokens")
        ? String.format(Locale.ROOT, "%,d", amount)
        : MemorySize.ofBytes(Math.max(0, amount)).toString();
  }

  private static String words(Bounded amount) {
    String bound =
        MemorySize.ofBytes(amount.mean()) + " (at most " + MemorySize.ofBytes(amount.upper());
    Double coverage = amount.coverage();
    return bound + (coverage == null ? ", assumed)" : ", " + Coverage.of(coverage) + ")");
  }

  private static String tokens(MemoryPrediction prediction) {
    MemoryPrediction.Serving serving = prediction.serving();
    return serving == null ? "-" : String.format(Locale.ROOT, "%,d", serving.tokens());
  }

  private static String sequences(MemoryPrediction prediction) {
    MemoryPrediction.Serving serving = prediction.serving();
    return serving == null ? "-" : String.format(Locale.ROOT, "%.2f", serving.sequences());
  }

  private static String least(MemoryPrediction prediction) {
    MemoryPrediction.Serving serving = prediction.serving();
    return serving == null ? "-" : words(serving.least());
  }
}
