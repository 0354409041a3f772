package dev.cotenant.cli.lab;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.Table;
import dev.cotenant.engine.Engine;
import dev.cotenant.lab.untimed.Replay;
import dev.cotenant.lab.untimed.SimulationRow;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.SequencedSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Replays of published traces without a time axis.
 *
 * @param policies to replay; all where empty
 */
record TraceReplays(Console console, Engine engine, List<String> policies) {

  /**
   * Replays traces and hands on the rows of each.
   *
   * @throws InputException ({@code unknown-policy}) with the policies of these traces
   */
  void run(List<String> traces, Consumer<List<SimulationRow>> result) {
    Traces sources = new Traces(engine, console);
    List<Replay> replays = new ArrayList<>();
    traces.forEach(trace -> replays.addAll(sources.read(trace)));
    requireKnown(replays);
    for (Replay replay : replays) {
      List<SimulationRow> rows = run(replay);
      if (!rows.isEmpty()) {
        result.accept(rows);
      }
    }
  }

  private void requireKnown(List<Replay> replays) {
    SequencedSet<String> known = new LinkedHashSet<>();
    replays.forEach(replay -> known.addAll(replay.policies()));
    for (String policy : policies) {
      if (!known.contains(policy)) {
        throw InputException.unknown("policy", policy, known);
      }
    }
  }

  private List<SimulationRow> run(Replay replay) {
    try (Progress progress = console.progress("Replaying")) {
      return replay.run(name -> policies.isEmpty() || policies.contains(name), progress::step);
    }
  }

  /** A table for people. */
  static List<String> lines(List<SimulationRow> rows) {
    Table<SimulationRow> table = new Table<SimulationRow>().text("policy", SimulationRow::policy);
    rows.stream()
        .flatMap(row -> row.figures().keySet().stream())
        .distinct()
        .forEach(key -> table.number(key, row -> cell(row.figures().get(key))));
    List<String> lines = new ArrayList<>();
    lines.add(rows.getFirst().trace() + ", " + rows.getFirst().protocol());
    lines.addAll(table.lines(rows));
    lines.add("");
    return lines;
  }

  private static String cell(@Nullable Double value) {
    if (value == null) {
      return "–";
    }
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%.0f", value)
        : String.format(Locale.ROOT, "%.2f", value);
  }
}
