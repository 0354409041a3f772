package dev.cotenant.cli.simulation;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.domain.InputException;
import dev.cotenant.domain.text.Table;
import dev.cotenant.engine.Engine;
import dev.cotenant.simulator.Replay;
import dev.cotenant.simulator.SimulationRow;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.SequencedSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What would have come of a trace under each policy. */
@Command(
    name = "simulate",
    mixinStandardHelpOptions = true,
    description = {
      "Replays traces through decisions, baselines and an oracle.",
      "lucid-pairs, gavel-pairs: jobs measured in pairs arrive as pods; which placements then broke"
          + " a limit, and how many jobs a GPU ran.",
      "alibaba-genai: pods with a recorded memory series arrive; the same for memory.",
      "alibaba-v2023: a recorded cluster is filled pod by pod."
    })
public final class SimulateCommand implements Runnable {
  private static final String ALL = "all";

  private final Console console;
  private final Supplier<Engine> engine;

  @Parameters(arity = "1..*", paramLabel = "TRACE", description = "FORMAT:PATH")
  private List<String> traces = List.of();

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      defaultValue = ALL,
      description = "Policy to replay; all by default. An unknown name lists the policies.")
  private String policy = ALL;

  @Option(names = "--json", description = "JSON output, one object per policy.")
  private boolean json;

  public SimulateCommand(Console console, Supplier<Engine> engine) {
    this.console = console;
    this.engine = engine;
  }

  @Override
  public void run() {
    Traces sources = new Traces(engine.get(), console);
    List<Replay> replays = new ArrayList<>();
    traces.forEach(trace -> replays.addAll(sources.read(trace)));
    SequencedSet<String> known = new LinkedHashSet<>();
    replays.forEach(replay -> known.addAll(replay.policies()));
    if (!policy.equals(ALL) && !known.contains(policy)) {
      throw InputException.invalidArgument(
          "unknown-policy",
          "Unknown policy '" + policy + "': use all or one of " + String.join(", ", known) + ".");
    }
    for (Replay replay : replays) {
      List<SimulationRow> rows = run(replay);
      if (json) {
        rows.forEach(row -> console.json(row.asMap()));
      } else if (!rows.isEmpty()) {
        print(rows);
      }
    }
  }

  private List<SimulationRow> run(Replay replay) {
    try (Progress progress = console.progress("Replaying")) {
      return replay.run(name -> policy.equals(ALL) || policy.equals(name), progress::step);
    }
  }

  private void print(List<SimulationRow> rows) {
    Table<SimulationRow> table = new Table<SimulationRow>().text("policy", SimulationRow::policy);
    rows.stream()
        .flatMap(row -> row.figures().keySet().stream())
        .distinct()
        .forEach(key -> table.number(key, row -> cell(row.figures().get(key))));
    console.line(rows.getFirst().trace() + ", " + rows.getFirst().protocol());
    table.print(rows, console::line);
    console.line("");
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
