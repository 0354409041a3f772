package dev.cotenant.cli.learn;

import dev.cotenant.cli.terminal.Console;
import java.time.InstantSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Learning from running engines. */
@Command(
    name = "learn",
    mixinStandardHelpOptions = true,
    description = "Learns from the logs and metrics of an installation's own engines.")
public final class LearnCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  private LearnCommand() {}

  /** The command with its subcommands. */
  public static CommandLine line(Console console) {
    return new CommandLine(new LearnCommand())
        .addSubcommand(new VllmLogCommand(console))
        .addSubcommand(new VllmMetricsCommand(console, InstantSource.system()));
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "no subcommand given; there is " + String.join(", ", spec.subcommands().keySet()));
  }
}
