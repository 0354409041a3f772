package dev.cotenant.cli.lab;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.datasets.Importers;
import dev.cotenant.datasets.Trace;
import dev.cotenant.datasets.cluster.ClusterTrace;
import dev.cotenant.domain.colocation.ColocationRows;
import dev.cotenant.domain.device.Device;
import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.forecast.SeriesSource;
import dev.cotenant.domain.quantity.MemorySize;
import dev.cotenant.engine.Engine;
import dev.cotenant.lab.cluster.ClusterReplay;
import dev.cotenant.lab.memory.MemoryReplay;
import dev.cotenant.lab.pairs.PairReplay;
import dev.cotenant.lab.pairs.PairSets;
import dev.cotenant.lab.recording.TimedTraces;
import dev.cotenant.lab.untimed.Replay;
import dev.cotenant.predictor.Predictor;
import dev.cotenant.simulator.replay.Recording;
import java.util.ArrayList;
import java.util.List;

/** Traces that users name as {@code FORMAT:PATH}. */
final class Traces {
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
    return switch (Importers.TRACES.open(formatAndPath).get()) {
      case Trace.Pairs pairs -> pairs(pairs);
      case Trace.Series(SeriesSource.Result recorded, _, _) -> series(recorded);
      case Trace.Cluster(ClusterTrace cluster) -> List.of(cluster(cluster));
    };
  }

  /** The same as recordings with times, drawn ones where the trace has none. */
  List<Recording> timed(String formatAndPath) {
    return new TimedTraces(devices).of(Importers.TRACES.open(formatAndPath).get());
  }

  private List<Replay> pairs(Trace.Pairs measured) {
    String format = measured.format();
    ColocationRows rows = measured.rows();
    note(format, rows.training().size() + " measurements", rows.rejected().size());
    List<Replay> replays = new ArrayList<>();
    for (var set : new PairSets(devices, Predictor.builtIn()).of(rows, measured.graphs())) {
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
