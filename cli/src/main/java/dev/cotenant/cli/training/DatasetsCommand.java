package dev.cotenant.cli.training;

import dev.cotenant.cli.terminal.Console;
import dev.cotenant.domain.device.DeviceCatalogue;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Commands about sets of measured runs. */
@Command(
    name = "datasets",
    mixinStandardHelpOptions = true,
    description = "Works with sets of measured runs.")
public final class DatasetsCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  private DatasetsCommand() {}

  /** The command with its subcommands. */
  public static CommandLine line(Console console, Supplier<DeviceCatalogue> devices) {
    return new CommandLine(new DatasetsCommand())
        .addSubcommand(new ImportCommand(console, devices))
        .addSubcommand(new ListCommand(console));
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "no subcommand given; there is " + String.join(", ", spec.subcommands().keySet()));
  }
}
