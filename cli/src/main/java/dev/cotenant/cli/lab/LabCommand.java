package dev.cotenant.cli.lab;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.engine.Engine;
import java.time.InstantSource;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Published results repeated on simulated clusters. */
@Command(
    name = "lab",
    mixinStandardHelpOptions = true,
    description = {
      "Repeats results of papers and studies on simulated clusters, beside the reference figures.",
      "Replays the jobs that a cluster ran under every policy."
    })
public final class LabCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  private LabCommand() {}

  /** The command with its subcommands. */
  public static CommandLine line(Console console, Supplier<Engine> engine) {
    return new CommandLine(new LabCommand())
        .addSubcommand(new ListPresetsCommand(console))
        .addSubcommand(new RunPresetCommand(console, engine))
        .addSubcommand(new ReplayCommand(console, engine, InstantSource.system()));
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "no subcommand given; there is " + String.join(", ", spec.subcommands().keySet()));
  }
}
