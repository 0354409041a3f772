package dev.cotenant.cli.cluster;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.quantity.Coverage;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.text.Table;
import dev.cotenant.engine.model.CoverageLevel;
import dev.cotenant.engine.sizing.Recommendation;
import dev.cotenant.engine.sizing.RightSizing;
import dev.cotenant.engine.sizing.UsageHistory;
import dev.cotenant.forecast.prometheus.PrometheusHistory;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
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
      "Recommends the GPU memory of each workload that runs, from what its pods used: with the"
          + " probability that it suffices, what it frees, and a back-test.",
      "Reads DCGM's and kube-state-metrics' series, and changes nothing."
    })
public final class RightSizeCommand implements Callable<Integer> {
  private static final Duration LONGEST = Duration.ofDays(400);

  private final Console console;
  private final InstantSource clock;

  @Option(
      names = "--prometheus",
      required = true,
      paramLabel = "URL",
      description = "A server that speaks the Prometheus HTTP API.")
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
      description =
          "Recommendations are learned from one window for the next (default 1d); at most half of"
              + " the history.")
  private String window = "1d";

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      description = "Of this namespace alone (default all).")
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
      description =
          "Price of a GPU hour, of all products or of one as DCGM names it; repeatable.")
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
    if (one.toMinutes() < 10 || one.multipliedBy(2).compareTo(length) > 0 || length.compareTo(LONGEST) > 0) {
      throw InputException.invalidArgument(
          "bad-window",
          "--window must be at least 10m and at most half of --since, and that at most "
              + LONGEST.toDays()
              + "d.");
    }
    if (timeoutSeconds < 1 || timeoutSeconds > 3_600) {
      throw InputException.invalidArgument(
          "bad-timeout", "--request-timeout must be 1 to 3600 s, is " + timeoutSeconds + ".");
    }
    Coverage level = CoverageLevel.of(coverage, "--coverage");
    Prices price = Prices.of(prices);
    PrometheusSettings settings =
        access.settings(url, found -> found)
            .withRequestTimeout(Duration.ofSeconds(timeoutSeconds));
    Duration step = RightSizing.step(one, settings.range().collection());
    RightSizing sizing =
        new RightSizing(
            one,
            step,
            level,
            price::of);
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
          new UsageHistory(server, settings.metrics(), span).read(namespace);
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
      table(rows).print(rows, console);
      console.line("");
      console.line(summary(rows));
    }
    result.skipped().forEach(line -> console.note("skipped: " + line));
    result.missing().forEach(console::note);
  }

  private static Table<Recommendation> table(List<Recommendation> rows) {
    Table<Recommendation> table =
        new Table<Recommendation>()
            .text("namespace", Recommendation::namespace)
            .text("workload", Recommendation::workload)
            .number("pods", row -> Words.count(row.pods()))
            .number("requested", row -> size(row.requested()))
            .number("used p50", row -> size(row.usedMedian()))
            .number("p99", row -> size(row.used99()))
            .number("max", row -> size(row.usedMost()))
            .number("recommended", row -> size(row.recommended()))
            .number("suffices with", row -> percent(row.probability()))
            .number("frees", row -> size(row.freed()));
    if (rows.stream().anyMatch(row -> row.money() != null)) {
      table.number("an hour", row -> money(row.money()));
    }
    return table.number(
        "exceeded", row -> Words.count(row.exceeded()) + " of " + Words.count(row.tested()));
  }

  private static String summary(List<Recommendation> rows) {
    long freed = 0;
    double money = 0;
    int tested = 0;
    int exceeded = 0;
    for (Recommendation row : rows) {
      freed += row.freed() == null ? 0 : Math.max(0, row.freed());
      money += row.money() == null ? 0 : Math.max(0, row.money());
      tested += row.tested();
      exceeded += row.exceeded();
    }
    return "frees "
        + size(freed)
        + (money > 0 ? ", " + money(money) + " an hour" : "")
        + "; back-test: "
        + (tested == 0
            ? "no window"
            : Words.count(exceeded)
                + " of "
                + Words.count(tested)
                + " windows would have been out of memory");
  }

  private static String size(@Nullable Long bytes) {
    return bytes == null
        ? "-"
        : (bytes < 0 ? "-" : "") + MemorySize.ofBytes(Math.abs(bytes));
  }

  private static String money(@Nullable Double amount) {
    return amount == null ? "-" : String.format(Locale.ROOT, "%.2f", amount);
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f %%", 100 * share);
  }
}
