package dev.cotenant.cli.simulation;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.datasets.cluster.AlibabaPodsSource;
import dev.cotenant.datasets.cluster.ClusterTrace;
import dev.cotenant.datasets.colocation.GavelPairsSource;
import dev.cotenant.datasets.colocation.LucidPairsSource;
import dev.cotenant.datasets.named.PairedJobs;
import dev.cotenant.datasets.series.AlibabaGenAiSource;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.engine.Engine;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.simulator.Replay;
import dev.cotenant.simulator.cluster.ClusterReplay;
import dev.cotenant.simulator.memory.MemoryReplay;
import dev.cotenant.simulator.pairs.PairReplay;
import dev.cotenant.simulator.pairs.PairSets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Traces that users name as {@code FORMAT:PATH}. */
final class Traces {
  static final List<String> FORMATS =
      List.of("lucid-pairs", "gavel-pairs", AlibabaGenAiSource.FORMAT, AlibabaPodsSource.FORMAT);

  private final Engine engine;
  private final DeviceCatalogue devices;
  private final Console console;

  Traces(Engine engine, Console console) {
    this.engine = engine;
    this.devices = engine.devices();
    this.console = console;
  }

  /**
   * Reads a trace; one with several devices makes several replays.
   *
   * @throws InputException where the format is unknown ({@code unknown-format}) or the file is not
   *     of it
   */
  List<Replay> read(String formatAndPath) {
    int colon = formatAndPath.indexOf(':');
    String format = colon < 0 ? formatAndPath : formatAndPath.substring(0, colon);
    if (!FORMATS.contains(format)) {
      throw InputException.invalidArgument(
          "unknown-format",
          "Unknown format '" + format + "': use one of " + String.join(", ", FORMATS) + ".");
    }
    if (colon < 0) {
      throw InputException.invalidArgument(
          "bad-trace", "'" + formatAndPath + "' is not FORMAT:PATH, such as " + format + ":FILE.");
    }
    Path path = Path.of(formatAndPath.substring(colon + 1));
    return switch (format) {
      case "lucid-pairs" -> pairs(format, new LucidPairsSource(path).read(), PairedJobs.ofLucid());
      case "gavel-pairs" -> pairs(format, new GavelPairsSource(path).read(), PairedJobs.ofGavel());
      case AlibabaGenAiSource.FORMAT -> series(new AlibabaGenAiSource(path).read());
      default -> List.of(cluster(new AlibabaPodsSource(path).read()));
    };
  }

  private List<Replay> pairs(String format, ColocationRows rows, PairedJobs graphs) {
    note(format, rows.training().size() + " measurements", rows.rejected().size());
    List<Replay> replays = new ArrayList<>();
    for (var set : new PairSets(devices, Predictor.builtIn()).of(rows, graphs)) {
      String trace = format + " on " + set.device().id();
      console.note(trace + ": " + Words.count(set.jobs().size()) + " jobs");
      replays.add(new PairReplay(trace, set, engine.decider()));
    }
    return replays;
  }

  /** On GPUs of the capacity that the pods had, and on larger ones where more fit. */
  private List<Replay> series(SeriesSource.Result recorded) {
    note(
        recorded.format(),
        Words.count(recorded.devices().size()) + " pods",
        recorded.rejected().size());
    Device own = devices.require("l40s");
    Device larger = devices.require("a100-80gb");
    MemorySize capacity = recorded.devices().getFirst().capacity();
    return List.of(
        new MemoryReplay(recorded, own, capacity, engine),
        new MemoryReplay(recorded, larger, larger.memory(), engine));
  }

  private Replay cluster(ClusterTrace trace) {
    String what =
        Words.count(trace.pods().size()) + " pods, " + Words.count(trace.nodes().size()) + " nodes";
    note(trace.name(), what, trace.rejected().size());
    return new ClusterReplay(trace, engine.decider(), devices, System::nanoTime);
  }

  private void note(String format, String what, int rejected) {
    console.note(format + ": " + what + ", " + Words.count(rejected) + " rejected");
  }
}
