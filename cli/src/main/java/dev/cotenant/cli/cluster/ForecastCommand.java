package dev.cotenant.cli.cluster;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.datasets.series.SeriesCsv;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.forecast.MemoryForecast;
import dev.cotenant.domain.forecast.MemorySeries;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.domain.text.Table;
import dev.cotenant.engine.Engine;
import dev.cotenant.engine.view.ForecastView;
import dev.cotenant.forecast.ForecastRequest;
import dev.cotenant.forecast.prometheus.DeviceMetrics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What a GPU's used memory will be, by every estimator. */
@Command(
    name = "forecast",
    mixinStandardHelpOptions = true,
    description = {
      "Forecasts used memory from a recorded series or a live server.",
      "Every estimator is shown; decisions use the first, peak-bound."
    })
public final class ForecastCommand implements Callable<Integer> {
  private final Console console;
  private final Supplier<Engine> engine;
  private final InstantSource clock;

  @ArgGroup(multiplicity = "1")
  private Source source = new Source();

  @Option(
      names = "--gpu",
      paramLabel = "UUID",
      description = "UUID of a GPU of the server; optional if it has only one.")
  private @Nullable String gpu;

  @Mixin private ServerOptions server = new ServerOptions();

  @Option(
      names = "--device",
      paramLabel = "ID",
      description = "The GPU whose memory is the capacity if the file states none.")
  private @Nullable String device;

  @Option(names = "--json", description = "JSON output, one object per line.")
  private boolean json;

  @Option(
      names = "--plot",
      paramLabel = "FILE.svg",
      description = "Draws the series with the band of peak-bound.")
  private @Nullable Path plot;

  /** A file or a server. */
  static final class Source {
    @Option(
        names = "--series",
        required = true,
        paramLabel = "FILE.csv",
        description = "Samples: timestamp_seconds,used_memory_bytes[,capacity_bytes].")
    private @Nullable Path series;

    @Option(
        names = "--prometheus",
        required = true,
        paramLabel = "URL",
        description = "A server with the Prometheus HTTP API.")
    private @Nullable String prometheus;
  }

  /** What is forecast. */
  private record Subject(String title, MemorySeries series, MemorySize capacity) {}

  public ForecastCommand(Console console, Supplier<Engine> engine, InstantSource clock) {
    this.console = console;
    this.engine = engine;
    this.clock = clock;
  }

  @Override
  public Integer call() {
    Path file = source.series;
    Subject subject = file == null ? live() : recorded(file);
    List<MemoryForecast> forecasts =
        engine
            .get()
            .forecast(new ForecastRequest(subject.series, subject.capacity, null, clock.instant()));
    List<ForecastView> views =
        forecasts.stream().map(forecast -> ForecastView.of(forecast, subject.capacity)).toList();
    if (json) {
      views.forEach(console::json);
    } else {
      print(subject, views);
    }
    if (plot != null) {
      draw(plot, subject, forecasts.getFirst());
    }
    return 0;
  }

  private Subject recorded(Path file) {
    SeriesCsv.Recorded recorded = SeriesCsv.read(file);
    if (recorded.series().isEmpty()) {
      throw InputException.malformed("series-empty", file + " holds no usable sample.");
    }
    MemorySize capacity = capacity(file, recorded);
    String title =
        file
            + ": "
            + recorded.series().samples().size()
            + " samples, capacity "
            + capacity
            + (recorded.blanksDropped() == 0
                ? ""
                : ", " + recorded.blanksDropped() + " blank rows left out");
    return new Subject(title, recorded.series(), capacity);
  }

  private MemorySize capacity(Path file, SeriesCsv.Recorded recorded) {
    MemorySize stated = recorded.capacity();
    if (stated != null) {
      return stated;
    }
    if (device == null) {
      throw InputException.invalidArgument(
          "unknown-capacity",
          file + " has no column capacity_bytes: add it, or name the GPU with --device.");
    }
    return engine.get().devices().require(device).memory();
  }

  private Subject live() {
    ServerReading reading = server.read(Objects.requireNonNull(source.prometheus), clock.instant());
    DeviceMetrics metrics = reading.require(gpu);
    MemorySize capacity = metrics.capacity();
    if (capacity == null) {
      throw InputException.malformed(
          "unknown-capacity",
          metrics.uuid() + ": the server does not know both its used and free memory.");
    }
    if (metrics.used().isEmpty()) {
      throw InputException.malformed(
          "series-empty", metrics.uuid() + ": the server has no usable sample of the window.");
    }
    reading.notes().forEach(console::note);
    String title =
        metrics.uuid()
            + (metrics.node().isEmpty() ? "" : " of " + metrics.node())
            + (metrics.modelName().isEmpty() ? "" : " (" + metrics.modelName() + ")")
            + ": "
            + metrics.used().samples().size()
            + " samples, capacity "
            + capacity
            + (metrics.pods().isEmpty() ? "" : ", pods " + String.join(", ", metrics.pods()));
    return new Subject(title, metrics.used(), capacity);
  }

  private void draw(Path file, Subject subject, MemoryForecast forecast) {
    ForecastPlot drawing =
        new ForecastPlot(subject.series, subject.capacity, subject.title, forecast.horizon());
    try {
      Files.writeString(file, drawing.toSvg(forecast));
    } catch (IOException e) {
      throw new UncheckedIOException(file + " cannot be written", e);
    }
    console.note("drew " + file);
  }

  private void print(Subject subject, List<ForecastView> views) {
    console.line(subject.title);
    new Table<ForecastView>()
        .text("estimator", ForecastView::estimator)
        .number("next", view -> size(view.nextBytes()))
        .number("peak", view -> size(view.peakBytes()))
        .number("peak, upper bound", view -> size(view.peakUpperBytes()))
        .number("free", view -> size(view.freeBytes()))
        .text("because", ForecastView::reason)
        .print(views, console);
  }

  private static String size(@Nullable Long bytes) {
    return bytes == null ? "-" : MemorySize.ofBytes(bytes).toString();
  }
}
