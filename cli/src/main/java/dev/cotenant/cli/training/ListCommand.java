package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.cli.terminal.Table;
import dev.cotenant.cli.terminal.Words;
import dev.cotenant.datasets.manifest.KnownSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The published sets that importers were written for. */
@Command(
    name = "list",
    mixinStandardHelpOptions = true,
    description = "Lists published sets: format, file, rows, licence, hash and where to get them.",
    footer = {"", "None of these files is part of this project."})
final class ListCommand implements Runnable {
  private final Console console;

  @Option(names = "--json", description = "One JSON object a set and nothing else.")
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
    Table table = Table.of("format", "file", ">rows", "licence", "state", "from");
    for (KnownSet set : KnownSet.all()) {
      table.row(
          set.format(),
          set.file(),
          Words.count(set.rows()),
          set.licence(),
          set.state(),
          set.download());
    }
    table.print(console);
  }
}
