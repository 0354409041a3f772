package dev.cotenant.cli.learn;

import dev.cotenant.cli.cluster.AccessOptions;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.text.Table;
import dev.cotenant.engine.model.CoverageLevel;
import dev.cotenant.engine.serving.KvCacheAdvice;
import dev.cotenant.engine.serving.KvHistory;
import dev.cotenant.forecast.prometheus.PrometheusHistory;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import dev.cotenant.llm.pod.Value;
import dev.cotenant.llm.serving.KvDemand;
import dev.cotenant.llm.serving.VllmVersion;
import dev.cotenant.llm.source.ModelReader;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The KV cache that suffices, from what a server's requests used. */
@Command(
    name = "vllm-metrics",
    mixinStandardHelpOptions = true,
    description = {
      "Recommends --kv-cache-memory-bytes from the KV cache use of requests, by server.",
      "States the probability that it suffices for the next window, and a back-test."
    })
final class VllmMetricsCommand implements Callable<Integer> {
  private final Console console;
  private final InstantSource clock;
  private final Map<String, Value> flags = new LinkedHashMap<>();

  @Option(
      names = "--prometheus",
      required = true,
      paramLabel = "URL",
      description = "A server with the Prometheus HTTP API.")
  private String url = "";

  @Option(
      names = "--model",
      required = true,
      paramLabel = "DIR",
      description = "The served model's folder, config.json or GGUF file.")
  private Path model = Path.of("");

  @Option(
      names = "--days",
      paramLabel = "N",
      defaultValue = "7",
      description = "History (default 7).")
  private int days;

  @Option(
      names = "--window",
      paramLabel = "MINUTES",
      defaultValue = "60",
      description = "Window whose 99th percentile has to fit (default 60).")
  private int windowMinutes;

  @Option(
      names = "--coverage",
      paramLabel = "SHARE",
      defaultValue = "0.95",
      description = "Probability that it suffices (default 0.95).")
  private double coverage;

  @Mixin private AccessOptions access = new AccessOptions();

  @Option(names = "--json", description = "JSON output, one server a line.")
  private boolean json;

  @Option(
      names = {"--tensor-parallel-size", "-tp"},
      paramLabel = "N",
      description = "Of the server (default 1).")
  void tensorParallelSize(@Nullable String text) {
    put("tensor-parallel-size", text);
  }

  @Option(
      names = "--max-model-len",
      paramLabel = "N",
      description = "Of the server (default: the model's): the pool must hold one such sequence.")
  void maxModelLen(@Nullable String text) {
    put("max-model-len", text);
  }

  @Option(
      names = "--kv-cache-dtype",
      paramLabel = "TYPE",
      description = "Of the server: auto (default) or fp8.")
  void kvCacheDtype(@Nullable String text) {
    put("kv-cache-dtype", text);
  }

  VllmMetricsCommand(Console console, InstantSource clock) {
    this.console = console;
    this.clock = clock;
  }

  private void put(String flag, @Nullable String text) {
    if (text != null) {
      flags.put(flag, new Value(text, "command line"));
    }
  }

  @Override
  public Integer call() {
    if (days < 1 || days > 366 || windowMinutes < 1 || windowMinutes > 1440 * days) {
      throw InputException.invalidArgument(
          "bad-window", "--days must be from 1 to 366, and --window shorter than these.");
    }
    Duration step = KvHistory.step(Duration.ofDays(days));
    long shortest = Math.ceilDiv(KvDemand.MIN_SAMPLES * step.toSeconds(), 60);
    if (windowMinutes < shortest) {
      throw InputException.invalidArgument(
          "bad-window",
          "Over "
              + days
              + " days there is a sample each "
              + step.toSeconds()
              + " s: use --window "
              + shortest
              + " or longer, or fewer --days.");
    }
    Coverage level = CoverageLevel.of(coverage, "--coverage");
    KvCacheAdvice.Pool pool =
        KvCacheAdvice.Pool.of(ModelReader.standard().read(model), VllmVersion.MEASURED, flags);
    List<KvCacheAdvice> rows = new ArrayList<>();
    samples(step)
        .forEach((server, samples) -> {
          KvDemand demand = demand(server.name(), samples);
          if (demand != null) {
            rows.add(KvCacheAdvice.of(server.name(), demand, pool, level.fraction()));
          }
        });
    show(rows);
    return rows.isEmpty() ? 1 : 0;
  }

  /** Of a server; null, with a note, where it has too few samples. */
  private @Nullable KvDemand demand(String server, List<KvDemand.Sample> samples) {
    try {
      return KvDemand.of(samples, 60.0 * windowMinutes);
    } catch (InputException e) {
      console.note("skipped: " + server + ": " + e.getMessage());
      return null;
    }
  }

  private Map<KvHistory.Server, List<KvDemand.Sample>> samples(Duration step) {
    PrometheusSettings settings = access.settings(url, one -> one);
    Duration history = Duration.ofDays(days);
    try (PrometheusHistory server = new PrometheusHistory(settings)) {
      KvHistory metrics =
          new KvHistory(server, settings.metrics().matchers(), clock.instant(), history, step);
      Map<KvHistory.Server, List<KvDemand.Sample>> found = metrics.read();
      server.warnings().forEach(console::note);
      return found;
    }
  }

  private void show(List<KvCacheAdvice> rows) {
    if (json || rows.isEmpty()) {
      rows.forEach(console::json);
      return;
    }
    new Table<KvCacheAdvice>()
        .text("server", KvCacheAdvice::server)
        .number("windows", row -> Words.count(row.windows()))
        .number("most sequences", row -> Words.count(row.mostSequences()))
        .number("pool now", row -> MemorySize.ofBytes(row.poolBytes()).toString())
        .number("requests use", row -> MemorySize.ofBytes(row.demandBytes()).toString())
        .number("KV tokens", row -> String.format(Locale.ROOT, "%,d", row.tokens()))
        .number("--kv-cache-memory-bytes", row -> Long.toString(row.bytes()))
        .number("suffices with", row -> percent(row.probability()))
        .number("back-tested", row -> Words.count(row.tested()))
        .number("held", row -> row.held() == null ? "-" : percent(row.held()))
        .print(rows, console);
    for (KvCacheAdvice row : rows) {
      if (row.cutWindows() > 0) {
        console.note(
            "warning: "
                + row.server()
                + ": its pool was full or requests waited in "
                + row.cutWindows()
                + " windows: it may need more");
      }
      if (row.isLongestAboveDemand()) {
        console.note(
            row.server()
                + ": one sequence of the longest length takes "
                + MemorySize.ofBytes(row.longestBytes())
                + ", more than its requests use: a smaller --max-model-len, stated here and to"
                + " vLLM, allows a smaller pool");
      }
    }
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * share);
  }
}
