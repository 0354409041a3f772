package dev.cotenant.cli.lab;

import dev.cotenant.cli.cluster.AccessOptions;
import dev.cotenant.cli.cluster.HistoryLength;
import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.decision.SharingLimits;
import dev.cotenant.domain.device.DeviceId;
import dev.cotenant.engine.Engine;
import dev.cotenant.forecast.prometheus.PrometheusSettings;
import dev.cotenant.lab.recording.JobsCsv;
import dev.cotenant.lab.report.HtmlReport;
import dev.cotenant.lab.untimed.SimulationRow;
import dev.cotenant.simulator.replay.Recording;
import dev.cotenant.simulator.replay.RecordingReplay;
import dev.cotenant.simulator.replay.ReplayReport;
import dev.cotenant.simulator.replay.ReplaySettings;
import dev.cotenant.simulator.replay.source.PrometheusRecording;
import dev.cotenant.simulator.world.recorder.RecordedRun;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedSet;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What policies would have made of the jobs that a cluster ran. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    description = {
      "Replays the jobs that a cluster ran under each policy: GPUs needed, GPU hours saved, pods"
          + " that wait, pods harmed.",
      "--prometheus reads DCGM's and kube-state-metrics' series; --jobs reads a table; a TRACE is a"
          + " published recording."
    })
final class ReplayCommand implements Runnable {
  private final Console console;
  private final Supplier<Engine> engine;
  private final InstantSource clock;

  @Spec private CommandSpec spec = CommandSpec.create();

  @ArgGroup(multiplicity = "0..1")
  private @Nullable Source source;

  @Parameters(
      arity = "0..*",
      paramLabel = "TRACE",
      description = {
        "FORMAT:PATH. alibaba-v2023, alibaba-genai, collector-series: pods with their recorded"
            + " times. lucid-pairs, gavel-pairs, collector-pairs: jobs measured in pairs, with"
            + " drawn arrivals and durations."
      })
  private List<String> traces = List.of();

  @Option(
      names = "--untimed",
      description =
          "Replays a TRACE without a time axis: measured pairs and memory series arrive as pods, a"
              + " recorded cluster is filled pod by pod.")
  private boolean isUntimed;

  @Mixin private AccessOptions access = new AccessOptions();

  @Option(
      names = "--since",
      paramLabel = "TIME",
      defaultValue = "7d",
      description = "Length of the history of --prometheus, such as 12h or 7d (default 7d).")
  private String since = "7d";

  @Option(
      names = "--step",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "Interval of samples, at least that of scrapes (default 60).")
  private long stepSeconds;

  @Option(
      names = "--request-timeout",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "Longest time of one request (default 60).")
  private long timeoutSeconds;

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      description =
          "A policy; repeatable. By default exclusive, gpushare, utilization, profile-once, decide"
              + " and oracle; for traces all. An unknown name lists the policies.")
  private List<String> policies = List.of();

  @Option(
      names = "--price",
      paramLabel = "MONEY",
      description = "Price of a GPU hour, for the money that a policy saves.")
  private double price;

  @Option(
      names = "--draws",
      paramLabel = "N",
      defaultValue = "5",
      description = "Draws of the errors of predicted slowdowns, 1 to 100 (default 5).")
  private int draws;

  @Option(
      names = "--json",
      description = "JSON output: an object about the recording, then one per policy.")
  private boolean json;

  @Option(names = "--csv", paramLabel = "FILE", description = "Also writes a row per policy.")
  private @Nullable Path csv;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Also writes one page with the table and time lines; it needs no other file.")
  private @Nullable Path html;

  /** Where jobs come from. */
  static final class Source {
    @Option(
        names = "--prometheus",
        required = true,
        paramLabel = "URL",
        description = "A server with the Prometheus HTTP API.")
    private @Nullable String prometheus;

    @Option(
        names = "--jobs",
        required = true,
        paramLabel = "FILE.csv",
        description = {
          "Jobs: submit_seconds, end_seconds, gpus, device; optional name, namespace, model,",
          "start_seconds, requested_memory_bytes, peak_memory_bytes, utilization_percent."
        })
    private @Nullable Path jobs;
  }

  ReplayCommand(Console console, Supplier<Engine> engine, InstantSource clock) {
    this.console = console;
    this.engine = engine;
    this.clock = clock;
  }

  @Override
  public void run() {
    Source stated = source;
    if ((stated == null) == traces.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "give one of --prometheus URL, --jobs FILE.csv or TRACE…");
    }
    if (isUntimed && stated != null) {
      throw new ParameterException(spec.commandLine(), "--untimed is for a TRACE");
    }
    if (isUntimed) {
      new TraceReplays(console, engine.get(), policies).run(traces, this::print);
    } else {
      replay(stated);
    }
  }

  private void replay(@Nullable Source stated) {
    requirePrice();
    ReplaySettings settings = settings();
    List<String> rejected = new ArrayList<>();
    List<Shown> all = new ArrayList<>();
    try (Progress progress = console.progress("Replaying")) {
      for (Recording recording : recordings(stated, rejected, progress)) {
        SortedMap<DeviceId, List<RecordedRun>> runs =
            new TreeMap<>(Comparator.comparing(DeviceId::value));
        ReplayReport report =
            new RecordingReplay(recording, settings, engine.get().devices())
                .run(
                    progress::step,
                    (device, run) -> runs.computeIfAbsent(device, _ -> new ArrayList<>()).add(run));
        all.add(new Shown(new ReplayTable(report, price), runs));
      }
    }
    print(all, rejected);
    write(all);
  }

  /** A replay and its runs by product. */
  private record Shown(ReplayTable table, Map<DeviceId, List<RecordedRun>> runs) {}

  private void print(List<SimulationRow> rows) {
    if (json) {
      rows.forEach(row -> console.json(row.asMap()));
    } else {
      TraceReplays.lines(rows).forEach(console::line);
    }
  }

  private void requirePrice() {
    if (!(price >= 0 && price < 1e9)) {
      throw InputException.invalidArgument(
          "bad-price", "--price must be money per GPU hour, 0 or more, is " + price + ".");
    }
  }

  private ReplaySettings settings() {
    SequencedSet<String> names = new LinkedHashSet<>();
    names.add(ReplaySettings.BASELINE);
    names.addAll(policies.isEmpty() ? ReplaySettings.DEFAULT_POLICIES : policies);
    try {
      return new ReplaySettings(
          List.copyOf(names), engine.get().decider(), SharingLimits.DEFAULT, draws);
    } catch (IllegalArgumentException e) {
      throw new InputException(
          InputException.Kind.INVALID_ARGUMENT, "bad-draws", e.getMessage() + ".", e);
    }
  }

  private List<Recording> recordings(
      @Nullable Source stated, List<String> rejected, Progress progress) {
    if (stated == null) {
      Traces sources = new Traces(engine.get(), console);
      return traces.stream().flatMap(trace -> sources.timed(trace).stream()).toList();
    }
    Path table = stated.jobs;
    if (table != null) {
      JobsCsv.Result read = new JobsCsv(table, engine.get().devices(), clock.instant()).read();
      rejected.addAll(read.rejected());
      return List.of(read.recording());
    }
    String url = Objects.requireNonNull(stated.prometheus);
    return List.of(access.settings(url, this::history).read(progress::step));
  }

  private PrometheusRecording history(PrometheusSettings settings) {
    return new PrometheusRecording(
        settings.withRequestTimeout(Duration.ofSeconds(timeoutSeconds)),
        new PrometheusRecording.Span(
            clock.instant(),
            HistoryLength.parse(since, "--since"),
            Duration.ofSeconds(stepSeconds)),
        engine.get().devices().names());
  }

  private void print(List<Shown> all, List<String> rejected) {
    if (!json) {
      rejected.forEach(console::note);
    }
    for (Shown shown : all) {
      if (json) {
        Map<String, Object> summary = new LinkedHashMap<>(shown.table().summary());
        summary.put("rejected", rejected);
        console.json(summary);
        shown.table().rows().forEach(console::json);
      } else {
        shown.table().lines().forEach(console::line);
      }
    }
  }

  private void write(List<Shown> all) {
    if (csv != null) {
      List<String> lines = new ArrayList<>(all.getFirst().table().csv());
      all.stream()
          .skip(1)
          .forEach(
              shown -> lines.addAll(shown.table().csv().subList(1, shown.table().csv().size())));
      LabOutput.write(csv, lines);
    }
    if (html != null) {
      Provenance provenance = Provenance.of(spec.root().version()[0], traces);
      HtmlReport page = new HtmlReport("What if GPUs had been shared", provenance.lines());
      all.forEach(shown -> shown.table().writeTo(page, shown.runs()));
      LabOutput.write(html, List.of(page.toHtml()));
    }
  }
}
