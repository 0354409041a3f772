package dev.cotenant.cli.service;

import dev.cotenant.cli.files.Installation;
import dev.cotenant.domain.InputException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Checks the service's options. The launcher then starts it in its own place, so that signals and
 * the exit code are the service's.
 */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    description = "Runs the service: REST and pages over HTTP, webhooks over HTTPS.")
public final class ServeCommand implements Runnable {
  private final Installation installation;
  private final Supplier<Optional<Path>> devices;

  @Mixin private ServiceOptions options = new ServiceOptions();

  @Option(
      names = "--snapshot",
      paramLabel = "FILE",
      description = "The recorded cluster to decide about (default examples/clusters/busy.json).")
  private @Nullable Path snapshot;

  @Option(
      names = "--prometheus",
      paramLabel = "URL",
      description = "Reads used memory from this server instead of the recorded cluster.")
  private @Nullable String prometheus;

  @Option(
      names = "--models",
      paramLabel = "DIR",
      description = "Every NAME.onnx in it is registered (default examples/models).")
  private @Nullable Path models;

  @Option(names = "--java-arguments", hidden = true, description = "Set by the launcher.")
  private @Nullable Path javaArguments;

  /** {@code devices} is the file of the user's own GPUs. */
  public ServeCommand(Installation installation, Supplier<Optional<Path>> devices) {
    this.installation = installation;
    this.devices = devices;
  }

  @Override
  public void run() {
    ServiceArguments arguments = new ServiceArguments(installation, options);
    devices.get().ifPresent(arguments::devices);
    if (snapshot != null) {
      arguments.recordedCluster(snapshot);
    }
    if (prometheus != null) {
      arguments.prometheus(prometheus);
    }
    if (models != null) {
      arguments.models(models);
    }
    options.requireFreePorts();
    if (javaArguments == null) {
      throw InputException.invalidArgument(
          "not-the-launcher", "serve is started through the script ./cotenant.");
    }
    try {
      Files.write(javaArguments, arguments.ofJar());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
