package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.cli.terminal.Console;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class CommandSelectionTest {
  private static CommandLine line(String... arguments) {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter(), false);
    return Commands.line(Console.ofWriters(nowhere, nowhere), Path.of(""), arguments);
  }

  @Test
  void composesOnlyTheCommandThatTheFirstArgumentNames() {
    Map<String, CommandLine> all = line().getSubcommands();
    assertThat(all).containsKeys("features", "predict", "serve", "demo", "help");
    for (String name : all.keySet()) {
      if (!name.equals("help")) {
        assertThat(line(name, "--help").getSubcommands()).containsOnlyKeys(name);
      }
    }
  }

  @Test
  void callsEveryCommandByItsOwnName() {
    line()
        .getSubcommands()
        .forEach((name, command) -> assertThat(command.getCommandName()).isEqualTo(name));
  }

  @Test
  void knowsAllCommandsWhereTheFirstArgumentNamesNone() {
    assertThat(line("freatures").getSubcommands()).containsKeys("features", "help");
    assertThat(line("help", "features").getSubcommands()).containsKeys("features", "help");
  }
}
