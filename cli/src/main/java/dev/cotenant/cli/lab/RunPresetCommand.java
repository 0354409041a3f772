package dev.cotenant.cli.lab;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.domain.InputException;
import dev.cotenant.engine.Engine;
import dev.cotenant.simulator.lab.Cell;
import dev.cotenant.simulator.lab.CellTable;
import dev.cotenant.simulator.lab.Preset;
import dev.cotenant.simulator.lab.Presets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a preset and prints its cells. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description = {
      "Runs a preset: our figure beside the published one for every cell, with the reading of the"
          + " difference.",
      "The same seeds and data give the same figures."
    })
final class RunPresetCommand implements Runnable {
  private static final String ALL = "all";

  private final Console console;
  private final Supplier<Engine> engine;

  @Parameters(paramLabel = "NAME", description = "A preset of 'lab list', or all.")
  private String name = ALL;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      description = "Runs of each policy; by default as many as the preset's source has.")
  private @Nullable Integer seeds;

  @Option(
      names = "--data",
      paramLabel = "FORMAT:PATH",
      description = "Outside data; by default those in the folder that COTENANT_TEST_DATA names.")
  private List<String> data = List.of();

  @Option(names = "--json", description = "JSON output, one object per cell.")
  private boolean json;

  @Option(
      names = "--csv",
      paramLabel = "DIR",
      description = "Also writes NAME.csv with all cells into this folder.")
  private @Nullable Path csv;

  RunPresetCommand(Console console, Supplier<Engine> engine) {
    this.console = console;
    this.engine = engine;
  }

  @Override
  public void run() {
    Integer wanted = seeds;
    if (wanted != null && wanted < 1) {
      throw InputException.invalidArgument(
          "bad-seeds", "--seeds must be at least 1, is " + wanted + ".");
    }
    List<Presets.Entry> entries = ALL.equals(name) ? Presets.all() : List.of(Presets.named(name));
    LabInputs inputs = new LabInputs(data, console, engine.get());
    for (Presets.Entry entry : entries) {
      Preset preset = entry.maker().of(inputs);
      int runs = wanted == null ? entry.card().seeds() : wanted;
      List<Cell> cells = new ArrayList<>();
      try (Progress progress = console.progress(entry.card().name())) {
        cells.addAll(preset.run(runs, progress::step));
      }
      write(entry, cells);
      print(entry.card(), cells);
    }
  }

  private void print(Preset.Card card, List<Cell> cells) {
    if (json) {
      for (Cell cell : cells) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("preset", card.name());
        all.putAll(cell.asMap());
        console.json(all);
      }
      return;
    }
    console.line(card.title() + " [" + card.source() + "]");
    new CellTable(cells).lines().forEach(console::line);
    console.line("");
  }

  private void write(Presets.Entry entry, List<Cell> cells) {
    Path folder = csv;
    if (folder == null) {
      return;
    }
    try {
      Files.createDirectories(folder);
      Files.write(folder.resolve(entry.card().name() + ".csv"), new CellTable(cells).csv());
    } catch (IOException e) {
      throw InputException.invalidArgument(
          "cannot-write", "Cannot write into " + folder + ": " + e.getMessage());
    }
  }
}
