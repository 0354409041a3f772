package dev.cotenant.cli.lab;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Progress;
import dev.cotenant.domain.InputException;
import dev.cotenant.engine.Engine;
import dev.cotenant.lab.Presets;
import dev.cotenant.lab.figure.Cell;
import dev.cotenant.lab.figure.CellTable;
import dev.cotenant.lab.figure.Preset;
import dev.cotenant.lab.report.HtmlReport;
import dev.cotenant.lab.report.RunRecords;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs a preset and prints its cells. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description = {
      "Runs a preset: our figure beside the reference for every cell, with an explanation of the"
          + " difference.",
      "The same seeds and data give the same figures."
    })
final class RunPresetCommand implements Runnable {
  private static final String ALL = "all";

  private final Console console;
  private final Supplier<Engine> engine;

  @Spec private CommandSpec spec = CommandSpec.create();

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
      names = "--out",
      paramLabel = "DIR",
      description =
          "Also writes a CSV per table into this folder, and manifest.json with version, commit,"
              + " seeds and the SHA-256 of the data.")
  private @Nullable Path out;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description =
          "Also writes one page with tables and plots of the first seed; it needs no other file.")
  private @Nullable Path html;

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
    List<Result> results = new ArrayList<>();
    for (Presets.Entry entry : entries) {
      Result result = result(entry, wanted == null ? entry.card().seeds() : wanted, inputs);
      print(entry.card(), result.cells());
      results.add(result);
    }
    write(Provenance.of(spec.root().version()[0], inputs.used()), results);
  }

  /** What a preset gave. */
  private record Result(Preset.Card card, int seeds, List<Cell> cells, RunRecords records) {
    Set<String> tables() {
      return cells.stream().map(Cell::table).collect(Collectors.toCollection(LinkedHashSet::new));
    }
  }

  private Result result(Presets.Entry entry, int runs, LabInputs inputs) {
    Preset preset = entry.maker().of(inputs);
    RunRecords records = new RunRecords();
    try (Progress progress = console.progress(entry.card().name())) {
      List<Cell> cells = preset.run(runs, new ShownRuns(progress, records));
      return new Result(entry.card(), runs, cells, records);
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

  private void write(Provenance provenance, List<Result> results) {
    if (out != null) {
      LabOutput output = new LabOutput(out, provenance);
      results.forEach(result -> output.write(result.card(), result.seeds(), result.cells()));
      output.writeManifest();
    }
    if (html != null) {
      LabOutput.write(html, List.of(page(provenance, results)));
    }
  }

  private static String page(Provenance provenance, List<Result> results) {
    HtmlReport page = new HtmlReport("Cotenant policy lab", provenance.lines());
    for (Result result : results) {
      Preset.Card card = result.card();
      page.section(card.title(), "lab run " + card.name() + " --seeds " + result.seeds());
      page.paragraph("Source: " + card.source());
      for (String table : result.tables()) {
        page.part(table);
        page.runs(result.records().of(table));
        page.served(result.records().servedOf(table));
        page.cells(result.cells().stream().filter(c -> c.table().equals(table)).toList());
      }
    }
    return page.toHtml();
  }
}
