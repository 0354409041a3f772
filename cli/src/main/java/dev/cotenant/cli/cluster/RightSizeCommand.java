package dev.cotenant.cli.cluster;

import dev.cotenant.admission.pod.GpuDialect;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.engine.model.CoverageLevel;
import dev.cotenant.engine.sizing.GpuPrices;
import dev.cotenant.engine.sizing.Recommendation;
import dev.cotenant.engine.sizing.RecommendationCsv;
import dev.cotenant.engine.sizing.RecommendationTable;
import dev.cotenant.engine.sizing.RightSizing;
import dev.cotenant.engine.sizing.UsageHistory;
import dev.cotenant.forecast.prometheus.PrometheusHistory;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The memory that suffices for the workloads of a cluster. */
@Command(
    name = "right-size",
    mixinStandardHelpOptions = true,
    description = {
      "Recommends the GPU memory of each running workload from the used memory of its pods, with"
          + " the probability that it suffices, the freed memory, and a back-test.",
      "Reads DCGM's and kube-state-metrics' series, and changes nothing."
    })
public final class RightSizeCommand implements Callable<Integer> {
  private static final Duration MAX_LENGTH = Duration.ofDays(400);

  private final Console console;
  private final InstantSource clock;

  @Option(
      names = "--prometheus",
      required = true,
      paramLabel = "URL",
      description = "A server with the Prometheus HTTP API.")
  private String url = "";

  @Option(
      names = "--since",
      paramLabel = "TIME",
      defaultValue = "14d",
      description = "Length of the history, such as 48h or 14d (default 14d).")
  private String since = "14d";

  @Option(
      names = "--window",
      paramLabel = "TIME",
      defaultValue = "1d",
      description = "Each window predicts the next one (default 1d); at most half of the history.")
  private String window = "1d";

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      description = "Only this namespace (default all).")
  private @Nullable String namespace;

  @Option(
      names = "--coverage",
      paramLabel = "SHARE",
      defaultValue = "0.95",
      description = "Probability that it suffices (default 0.95).")
  private double coverage;

  @Option(
      names = "--price",
      paramLabel = "[PRODUCT=]MONEY",
      description = "Price of a GPU hour, of all products or of one as DCGM names it; repeatable.")
  private List<String> prices = List.of();

  @Option(
      names = "--request-timeout",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "Longest time of one request (default 60).")
  private long timeoutSeconds;

  @Mixin private AccessOptions access = new AccessOptions();

  @Option(names = "--json", description = "JSON output, one workload a line.")
  private boolean json;

  @Option(names = "--csv", description = "CSV output, one workload a line.")
  private boolean csv;

  public RightSizeCommand(Console console, InstantSource clock) {
    this.console = console;
    this.clock = clock;
  }

  @Override
  public Integer call() {
    Duration length = length("--since", since);
    Duration one = length("--window", window);
    if (one.toMinutes() < 10
        || one.multipliedBy(2).compareTo(length) > 0
        || length.compareTo(MAX_LENGTH) > 0) {
      throw InputException.invalidArgument(
          "bad-window",
          "--window must be at least 10m and at most half of --since, and that at most "
              + MAX_LENGTH.toDays()
              + "d.");
    }
    if (timeoutSeconds < 1 || timeoutSeconds > 3_600) {
      throw InputException.invalidArgument(
          "bad-timeout", "--request-timeout must be 1 to 3600 s, is " + timeoutSeconds + ".");
    }
    Coverage level = CoverageLevel.of(coverage, "--coverage");
    GpuPrices price = GpuPrices.of("--price", prices);
    PrometheusSettings settings =
        access.settings(url, found -> found).withRequestTimeout(Duration.ofSeconds(timeoutSeconds));
    Duration step = RightSizing.step(one, settings.range().collection());
    RightSizing sizing = new RightSizing(one, step, level, price::of);
    UsageHistory.Span span = new UsageHistory.Span(clock.instant(), length, step);
    RightSizing.Result result = sizing.of(read(settings, span), Map.of(), span.end());
    show(result);
    return result.workloads().isEmpty() ? 1 : 0;
  }

  private static Duration length(String option, String text) {
    try {
      return HistoryLength.parse(text, option);
    } catch (IllegalArgumentException e) {
      throw new InputException(
          InputException.Kind.INVALID_ARGUMENT, "bad-window", e.getMessage() + ".", e);
    }
  }

  private UsageHistory.Recorded read(PrometheusSettings settings, UsageHistory.Span span) {
    try (PrometheusHistory server = new PrometheusHistory(settings)) {
      UsageHistory.Recorded recorded =
          new UsageHistory(server, settings.metrics(), GpuDialect.memoryResources(), span)
              .read(namespace);
      server.warnings().stream().distinct().forEach(console::note);
      return recorded;
    }
  }

  private void show(RightSizing.Result result) {
    List<Recommendation> rows = result.workloads();
    if (json) {
      rows.forEach(console::json);
    } else if (csv) {
      RecommendationCsv.lines(rows).forEach(console::line);
    } else if (!rows.isEmpty()) {
      RecommendationTable.of(rows).print(rows, console);
      console.line("");
      console.line(RecommendationTable.summary(rows));
    }
    result.skipped().forEach(line -> console.note("skipped: " + line));
    result.missing().forEach(console::note);
  }
}
