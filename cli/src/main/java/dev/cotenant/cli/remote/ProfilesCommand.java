package dev.cotenant.cli.remote;

import dev.cotenant.cli.terminal.Console;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Profiles of services: fitted from measured points, and stored in a service. */
@Command(
    name = "profiles",
    mixinStandardHelpOptions = true,
    description =
        "Fits latency profiles of inference services to measurements, and uploads them to a"
            + " server.")
public final class ProfilesCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  private ProfilesCommand() {}

  /** The command with its subcommands. */
  public static CommandLine line(Console console) {
    return new CommandLine(new ProfilesCommand())
        .addSubcommand(new FitProfilesCommand(console))
        .addSubcommand(new UploadProfilesCommand(console))
        .addSubcommand(new ListProfilesCommand(console))
        .addSubcommand(new DeleteProfilesCommand(console));
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "no subcommand given; there is " + String.join(", ", spec.subcommands().keySet()));
  }
}
