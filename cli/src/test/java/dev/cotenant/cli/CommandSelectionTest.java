package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.cli.terminal.Console;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
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
    Set<String> picocli = Set.of("help", "generate-completion");
    assertThat(all).containsKeys("features", "predict", "serve", "demo").containsKeys("help");
    for (String name : all.keySet()) {
      if (!picocli.contains(name)) {
        assertThat(line(name, "--help").getSubcommands()).containsOnlyKeys(name);
      }
    }
  }

  @Test
  void completesTheNamesOfAllCommands() {
    assertThat(CommandRun.of("generate-completion").out())
        .startsWith("#!/usr/bin/env bash")
        .contains("features predict devices", "--device");
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
