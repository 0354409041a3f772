package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.datasets.manifest.KnownSet;
import dev.cotenant.domain.text.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The published sets that importers were written for. */
@Command(
    name = "list",
    mixinStandardHelpOptions = true,
    description = {
      "Lists published sets: format, file, rows, licence, state and where to get them.",
      "--json has the SHA-256 of each too."
    },
    footer = {"", "None of these files is part of this project."})
final class ListCommand implements Runnable {
  private final Console console;

  @Option(names = "--json", description = "JSON output, one object per set.")
  private boolean json;

  ListCommand(Console console) {
    this.console = console;
  }

  @Override
  public void run() {
    if (json) {
      KnownSet.all().forEach(console::json);
      return;
    }
    new Table<KnownSet>()
        .text("format", KnownSet::format)
        .text("file", KnownSet::file)
        .number("rows", set -> Words.count(set.rows()))
        .text("licence", KnownSet::licence)
        .text("state", KnownSet::state)
        .text("from", KnownSet::download)
        .print(KnownSet.all(), console);
  }
}
