package dev.cotenant.cli.cluster;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Table;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.view.ForecastView;
import dev.cotenant.forecast.ForecastQuestion;
import dev.cotenant.forecast.MemorySeriesCsv;
import dev.cotenant.forecast.RecordedSeries;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What a GPU's used memory will be, by every estimator. */
@Command(
    name = "forecast",
    mixinStandardHelpOptions = true,
    description = "Forecasts used memory from a recorded series, every estimator side by side.")
public final class ForecastCommand implements Callable<Integer> {
  private final Console console;
  private final Supplier<Engine> engine;
  private final InstantSource clock;

  @Option(
      names = "--series",
      required = true,
      paramLabel = "FILE.csv",
      description = "Samples: timestamp_seconds,used_memory_bytes[,capacity_bytes].")
  private Path series = Path.of("");

  @Option(
      names = "--device",
      paramLabel = "ID",
      description = "The GPU whose memory is the capacity where the file states none.")
  private @Nullable String device;

  @Option(names = "--json", description = "One JSON object a line and nothing else.")
  private boolean json;

  public ForecastCommand(Console console, Supplier<Engine> engine, InstantSource clock) {
    this.console = console;
    this.engine = engine;
    this.clock = clock;
  }

  @Override
  public Integer call() {
    RecordedSeries recorded = MemorySeriesCsv.read(series);
    requireSamples(recorded);
    MemorySize capacity = capacity(recorded);
    List<MemoryForecast> forecasts =
        engine
            .get()
            .forecast(
                new ForecastQuestion(recorded.series(), capacity, List.of(), clock.instant()));
    List<ForecastView> views =
        forecasts.stream().map(forecast -> ForecastView.of(forecast, capacity)).toList();
    if (json) {
      views.forEach(console::json);
    } else {
      print(recorded, capacity, views);
    }
    return 0;
  }

  private void requireSamples(RecordedSeries recorded) {
    if (recorded.series().isEmpty()) {
      throw InputException.malformed("series-empty", series + " holds no usable sample.");
    }
  }

  private MemorySize capacity(RecordedSeries recorded) {
    MemorySize stated = recorded.capacity();
    if (stated != null) {
      return stated;
    }
    if (device == null) {
      throw InputException.invalidArgument(
          "unknown-capacity",
          series + " has no column capacity_bytes: add it, or name the GPU with --device.");
    }
    return engine.get().devices().require(device).memory();
  }

  private void print(RecordedSeries recorded, MemorySize capacity, List<ForecastView> views) {
    console.line(
        series
            + ": "
            + recorded.series().samples().size()
            + " samples, capacity "
            + capacity
            + (recorded.blanksDropped() == 0
                ? ""
                : ", " + recorded.blanksDropped() + " blank rows left out"));
    Table table = Table.of("estimator", ">next", ">peak", ">peak, upper bound", ">free", "because");
    for (ForecastView view : views) {
      table.row(
          view.estimator(),
          size(view.nextBytes()),
          size(view.peakBytes()),
          size(view.peakUpperBytes()),
          size(view.freeBytes()),
          view.reason());
    }
    table.print(console);
  }

  private static String size(@Nullable Long bytes) {
    return bytes == null ? "-" : MemorySize.ofBytes(bytes).toString();
  }
}
