package dev.cotenant.cli;

import dev.cotenant.domain.device.DeviceCatalogue;
import dev.cotenant.domain.device.DeviceFile;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command without a subcommand, which is bad usage. */
@Command(
    name = "cotenant",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = {
      "Predicts what a deep-learning workload does to a GPU before it runs, and shares GPUs within"
          + " those limits."
    },
    footer = {
      "",
      "Exit codes: 0 success, 1 a job that failed, 2 bad usage.",
      "COTENANT_DEBUG=1 prints the stack trace of a failure."
    })
final class CotenantCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--devices",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "A CSV file of your own GPUs, with the columns of 'devices --csv'.")
  private @Nullable Path devices;

  /** The built-in devices, and the user's own where a file names them. */
  DeviceCatalogue catalogue() {
    DeviceCatalogue builtIn = DeviceCatalogue.builtIn();
    return devices == null ? builtIn : builtIn.plus(new DeviceFile(devices).read());
  }

  /** The file that names the user's own devices. */
  Optional<Path> devices() {
    return Optional.ofNullable(devices);
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "no command given; the commands are " + String.join(", ", spec.subcommands().keySet()));
  }
}
