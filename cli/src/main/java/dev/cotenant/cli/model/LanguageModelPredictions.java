package dev.cotenant.cli.model;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.prediction.EngineSpeed;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.text.Table;
import dev.cotenant.domain.workload.EngineRun;
import dev.cotenant.domain.workload.Load;
import dev.cotenant.engine.model.LanguageModelRuns;
import dev.cotenant.engine.view.MemoryPredictionView;
import dev.cotenant.llm.MemoryPrediction;
import dev.cotenant.llm.MemoryPrediction.Bounded;
import dev.cotenant.llm.MemoryPrediction.Part;
import dev.cotenant.llm.MemoryPrediction.PartBounds;
import dev.cotenant.llm.model.LanguageModel;
import dev.cotenant.llm.pod.GenerationArguments;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.source.ModelReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Predicts the memory of language models, by options or as a pod runs them. */
final class LanguageModelPredictions {
  private final Console console;
  private final EngineOptions options;
  private final UrlOptions urls;
  private final boolean json;
  private final LanguageModelRuns.ServingRequest request;

  /** A prediction with the pod's settings. */
  private record Row(String path, MemoryPrediction prediction, @Nullable EngineSpeed speed) {}

  private final List<Row> rows = new ArrayList<>();

  LanguageModelPredictions(
      Console console,
      EngineOptions options,
      UrlOptions urls,
      boolean json,
      Coverage level,
      Load load) {
    this.console = console;
    this.options = options;
    this.urls = urls;
    this.json = json;
    Double memory = options.gpuMemory();
    this.request =
        new LanguageModelRuns.ServingRequest(
            level.fraction(),
            options.concurrency(),
            memory == null ? null : memory * MemorySize.GIB,
            options.learned(),
            load instanceof Load.RequestRate(double perSecond, _) ? perSecond : null);
  }

  /** Each file, folder or URL on the device; the exit code. */
  int predict(List<Path> files, Device device) {
    int ofFiles = each(files, ModelReader.standard()::read, device);
    int exitCode = Math.max(ofFiles, each(urls.models(), urls.reader()::read, device));
    print();
    return exitCode;
  }

  private <T> int each(List<T> places, Function<T, LanguageModel> reader, Device device) {
    return new FileByFile(console, json)
        .each(
            places,
            place -> add(place.toString(), reader.apply(place), ofOptions(), device, Map.of()));
  }

  private EngineRun ofOptions() {
    Map<String, String> settings = new HashMap<>();
    options.flags().forEach((name, value) -> settings.put(name, value.text()));
    boolean serves = options.engine().equals(EngineOptions.VLLM);
    return withTokens(
        new EngineRun(
            "",
            serves ? EngineRun.Kind.SERVER : EngineRun.Kind.GENERATION,
            options.engine(),
            options.version(),
            null,
            true,
            settings,
            List.of()));
  }

  private EngineRun withTokens(EngineRun run) {
    Map<String, String> settings = new HashMap<>(run.settings());
    settings.putIfAbsent(GenerationArguments.PROMPT, String.valueOf(options.promptTokens()));
    settings.putIfAbsent(GenerationArguments.GENERATED, String.valueOf(options.generatedTokens()));
    return run.with(settings);
  }

  /** The containers of a pod that run a language model; the exit code. */
  int predict(Path pod, Device device) {
    PodWorkloads workloads = PodWorkloads.read(pod, options.volumes(), urls.reader());
    for (PodWorkloads.Found found : workloads.found()) {
      String path = workloads.found().size() == 1 ? pod.toString() : pod + " " + found.container();
      EngineRun run = versioned(found.run());
      Map<String, Value> values = new LinkedHashMap<>(found.values());
      LanguageModelRuns.defaults(found.model(), run, device, request).forEach(values::putIfAbsent);
      add(path, found.model(), run, device, shown(values));
    }
    print();
    return 0;
  }

  /** With the version of the options where the pod names none. */
  private EngineRun versioned(EngineRun run) {
    if (run.version() != null || run.kind() == EngineRun.Kind.TRAINING) {
      return run;
    }
    List<String> unread = new ArrayList<>(run.unread());
    if (run.kind() == EngineRun.Kind.SERVER) {
      unread.add("its image names no version: assumed to be the newest measured one");
    }
    return new EngineRun(
        "",
        run.kind(),
        run.engine(),
        options.version(),
        run.model(),
        run.isNamed(),
        run.settings(),
        unread);
  }

  private static Map<String, MemoryPredictionView.Setting> shown(Map<String, Value> values) {
    Map<String, MemoryPredictionView.Setting> settings = new LinkedHashMap<>();
    values.forEach((name, value) ->
        settings.put(name, new MemoryPredictionView.Setting(value.text(), value.source())));
    return settings;
  }

  private void add(
      String path,
      LanguageModel model,
      EngineRun run,
      Device device,
      Map<String, MemoryPredictionView.Setting> settings) {
    MemoryPrediction prediction = LanguageModelRuns.predict(model, run, device, request);
    EngineSpeed speed = LanguageModelRuns.speed(model, run, device, request, prediction);
    if (json) {
      console.json(MemoryPredictionView.of(path, prediction, speed, settings));
      return;
    }
    rows.add(new Row(path, prediction, speed));
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
        .text("decoding step", row -> step(row.speed()))
        .text("GPU utilization", row -> busy(row.speed()))
        .print(rows, console);
    if (options.explain()) {
      rows.forEach(this::explain);
    }
    for (Row row : rows) {
      row.prediction()
          .warnings()
          .forEach(warning -> console.note("warning: " + row.path() + ": " + warning));
      EngineSpeed speed = row.speed();
      if (speed != null && speed.isOverloaded()) {
        console.note(
            "warning: " + row.path() + ": the stated rate is above what the server answers");
      }
    }
  }

  private void explain(Row row) {
    new Table<Map.Entry<String, Part>>()
        .text("part", Map.Entry::getKey)
        .number("amount", LanguageModelPredictions::amount)
        .text("bound", LanguageModelPredictions::bound)
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
    EngineSpeed speed = row.speed();
    if (speed != null) {
      explain(speed);
    }
  }

  /** Of its own: those of tokens and of the pool are lower bounds. */
  private static String bound(Map.Entry<String, Part> part) {
    PartBounds bounds = part.getValue().bounds();
    if (bounds == null) {
      return "";
    }
    Long lower = bounds.lower();
    Long upper = bounds.upper();
    Double coverage = bounds.coverage();
    String level = coverage == null ? ", assumed" : ", " + Coverage.of(coverage);
    return lower != null
        ? "at least " + amount(part.getKey(), lower) + level
        : upper != null ? "at most " + amount(part.getKey(), upper) + level : "";
  }

  private static String step(@Nullable EngineSpeed speed) {
    return speed == null
        ? "-"
        : String.format(
            Locale.ROOT,
            "%.3g ms, %.3g sequence(s) (%.3g to %.3g ms, assumed)",
            1000 * speed.decode().meanSeconds(),
            speed.sequences(),
            1000 * speed.decode().lowerSeconds(),
            1000 * speed.decode().upperSeconds());
  }

  private static String busy(@Nullable EngineSpeed speed) {
    return speed == null ? "-" : Words.of(speed.utilization());
  }

  private void explain(EngineSpeed speed) {
    Double rate = speed.load().perSecond();
    console.line(
        String.format(
            Locale.ROOT,
            "a prompt of %,d tokens takes %.3g ms; with answers of %,d tokens at most %.3g requests"
                + " a second%s",
            speed.load().promptTokens(),
            1000 * speed.prefill().meanSeconds(),
            speed.load().generatedTokens(),
            speed.requestsPerSecond(),
            rate == null ? "" : String.format(Locale.ROOT, ", %.4g are stated", rate)));
  }

  private static String amount(Map.Entry<String, Part> part) {
    return amount(part.getKey(), part.getValue().amount());
  }

  private static String amount(String name, long amount) {
    return name.endsWith("_tokens")
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
