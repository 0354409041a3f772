package dev.cotenant.cli.lab;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.domain.text.Table;
import dev.cotenant.lab.Presets;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The presets of the lab. */
@Command(
    name = "list",
    mixinStandardHelpOptions = true,
    description = "Lists presets: name, default seeds, outside data, title and source.")
final class ListPresetsCommand implements Runnable {
  private final Console console;

  @Option(names = "--json", description = "JSON output, one object per preset.")
  private boolean json;

  ListPresetsCommand(Console console) {
    this.console = console;
  }

  @Override
  public void run() {
    if (json) {
      Presets.all().forEach(entry -> console.json(asMap(entry)));
      return;
    }
    new Table<Presets.Entry>()
        .text("name", entry -> entry.card().name())
        .number("seeds", entry -> String.valueOf(entry.card().seeds()))
        .text("data", Presets.Entry::data)
        .text("title", entry -> entry.card().title())
        .text("source", entry -> entry.card().source())
        .print(Presets.all(), console);
  }

  private static Map<String, Object> asMap(Presets.Entry entry) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("name", entry.card().name());
    all.put("seeds", entry.card().seeds());
    all.put("data", entry.data());
    all.put("title", entry.card().title());
    all.put("source", entry.card().source());
    return all;
  }
}
