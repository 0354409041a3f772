package dev.cotenant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cotenant.cli.terminal.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code docs/cli.md} is the help of every command; the launcher prints it before a build. */
class CommandLinePageTest {
  private static final Path PAGE =
      Path.of(System.getProperty("cotenant.root")).resolve("docs/cli.md");

  private static final String HEAD =
      """
      # Command line

      The help of every command: `./cotenant COMMAND --help` prints it, before anything is built from this page.
      `./mvnw test -pl cli -am -Dtest=CommandLinePageTest -Dsurefire.failIfNoSpecifiedTests=false
      -Dcotenant.docs.write=true` regenerates it.
      """;

  private static CommandLine line() {
    PrintWriter unused = new PrintWriter(new StringWriter());
    return Commands.line(Console.ofWriters(unused, unused), Path.of(""));
  }

  private static Stream<CommandLine> commands(CommandLine line) {
    Stream<CommandLine> below =
        line.getSubcommands().values().stream()
            .filter(command -> !command.getCommandName().equals("help"));
    return Stream.concat(Stream.of(line), below.flatMap(CommandLinePageTest::commands));
  }

  private static String section(CommandLine command) {
    String usage = command.getUsageMessage(CommandLine.Help.Ansi.OFF);
    return "\n## %s\n\n```\n%s```\n"
        .formatted(command.getCommandSpec().qualifiedName(), usage.replaceAll("(?m) +$", ""));
  }

  @Test
  void isUpToDate() throws IOException {
    StringBuilder page = new StringBuilder(HEAD);
    commands(line()).map(CommandLinePageTest::section).forEach(page::append);

    if (Boolean.getBoolean("cotenant.docs.write")) {
      Files.writeString(PAGE, page);
    }
    assertThat(PAGE).hasContent(page.toString());
  }

  @Test
  void eachCommandIsListedByAWholeSentence() {
    assertThat(commands(line()))
        .allSatisfy(command ->
            assertThat(List.of(command.getCommandSpec().usageMessage().description()).getFirst())
                .as(command.getCommandName())
                .endsWith("."));
  }
}
